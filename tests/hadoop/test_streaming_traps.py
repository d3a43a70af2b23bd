"""What Hadoop Streaming does to data, by jobs on the real one: records come through unharmed."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobs.crawler_driver import CrawlerDriver
from jobs.merge_driver import MergeDriver
from jobs.parser_driver import ParserDriver
from layercrawl import config, job, records, stores
from layercrawl.config import Config
from layercrawl.job import Job, JobFailed, Ran
from layercrawl.records import Page, Target
from layercrawl.running import cluster
from layercrawl.stores import Stores
from tests.hadoop.cluster import Cluster
from tests.web import Web, serve

pytestmark = pytest.mark.slow
ODD = "bare \r CR, \r\n CRLF, \u2028 and \u2029, \x85, \x0b, \x00, TAB at the end\t"
PAGES = {
    "http://a.example/": f"<title>{ODD}</title><a href=/b>b</a>{ODD}",
    "http://a.example/big": "<a href=/c>c</a>" + "x" * 16_000_000,
    "http://b.example/": "<a href='/%0D'>\u2028</a>",
}
MANY = int(os.environ.get("SMALL_FILES", "500"))
NODE = "LC_ALL=POSIX,LANG=POSIX"
"""The locale of a node that nobody cared for."""


class OnHadoop:
    """Runs single jobs on a root of HDFS, or inline on a folder."""

    def __init__(self, tmp_path: Path) -> None:
        root = f"hdfs:///traps-{uuid.uuid4().hex}"
        self.settings: Config = config.make({"root": root})
        self.crawl, self.tmp = Stores(root), tmp_path
        self.cluster = cluster.prepared(self.settings, self.crawl)

    def put(self, name: str, lines: list[bytes]) -> None:
        """A file of both roots."""
        content = b"".join(line + b"\n" for line in lines)
        for root in (self.crawl.root, self.tmp):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(content)

    def run(self, job_class: type[Job], *words: str, conf: dict[str, str] | None = None) -> Ran:
        """The job over in/part-* into out-JOB, on Hadoop."""
        given = {
            "mapreduce.job.reduces": "3", "mapreduce.map.env": NODE, "mapreduce.reduce.env": NODE,
            "mapreduce.map.maxattempts": "1", "mapreduce.reduce.maxattempts": "1", **(conf or {}),
        }  # fmt: skip
        options = self.cluster.words(job_class.__name__, job_class.STAGE, [])
        options += [f"-D{name}={value}" for name, value in given.items()]
        return self._run(job_class, "hadoop", [*words, *options], self.crawl.root)

    def inline(self, job_class: type[Job], *words: str) -> Ran:
        """The same inline."""
        return self._run(job_class, "inline", list(words), self.tmp)

    def _run(self, job_class: type[Job], runner: str, words: list[str], root: Any) -> Ran:
        scratch = self.crawl.local_scratch()
        output = root / f"out-{job_class.__name__}"
        return job.run(
            job_class, runner, words, [f"{root}/in/part-*"], output, scratch, lambda _: None
        )

    def lines(self, job_class: type[Job], root: Any) -> list[bytes]:
        """What the job wrote there, sorted."""
        found = []
        for path in stores.files(root / f"out-{job_class.__name__}", "part-*"):
            with path.open("rb") as lines:
                found += [line.rstrip(b"\n") for line in lines]
        return sorted(found)


@pytest.fixture
def on_hadoop(
    hadoop: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[OnHadoop]:
    for name in ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_DATA"):
        monkeypatch.setenv(name, hadoop.environment[name])
    made = OnHadoop(tmp_path)
    yield made
    made.crawl.sweep()


def page(url: str, **values: Any) -> bytes:
    common: dict[str, Any] = {"digest": url, "fetched": "2026-11-30T12:00:00Z"}
    made = Page(Target(), "ok", **{"status": 200, "html": PAGES[url], **common, **values})
    return records.encode(url, made)


@pytest.mark.parametrize("job_class", [ParserDriver, MergeDriver])
def test_odd_bytes_and_big_pages_come_through(on_hadoop: OnHadoop, job_class: type[Job]) -> None:
    urls = list(PAGES)
    on_hadoop.put("in/part-00000", [page(url) for url in urls[:1]])
    on_hadoop.put("in/part-00001", [page(url) for url in urls[1:]])
    on_hadoop.put("in/part-00002", [])
    if job_class is MergeDriver:  # each page's decision, as its first pass writes it
        on_hadoop.put("in/part-00003", [page(url, html="", status=0) for url in urls])
    on_hadoop.put("in/_hidden", [b"never read"])
    words = ['--exclude=it\'s "so" \\.', "--user-agent=it's"] if job_class is ParserDriver else []
    ran = on_hadoop.run(job_class, *words)
    here = on_hadoop.inline(job_class, *words)
    found = on_hadoop.lines(job_class, on_hadoop.crawl.root)
    assert found == on_hadoop.lines(job_class, on_hadoop.tmp)
    assert len(found) == 3
    assert ran.counters == here.counters


def test_a_tasks_traceback_is_shown(on_hadoop: OnHadoop) -> None:
    on_hadoop.put("in/part-00000", [records.encode("http://a.example/", Target())])
    with pytest.raises(JobFailed, match="WrongRecord: hdfs://.*/in/part-00000, line 1") as failed:
        on_hadoop.run(ParserDriver)
    assert failed.value.trace.startswith("Traceback")


def test_a_task_that_waits_politely_lives(on_hadoop: OnHadoop) -> None:
    with serve(Web(port=0, hosts=("127.1.0.1",))) as web:
        on_hadoop.put("in/part-00000", [records.encode(web.seeds[0], Target())])
        ran = on_hadoop.run(
            CrawlerDriver, "--delay=25", "--allow-private",
            conf={
                "mapreduce.job.reduces": "1", "mapreduce.job.ubertask.enable": "false",
                "mapreduce.task.timeout": "20000",
                "mapreduce.task.timeout.check-interval-ms": "1000",
            },
        )  # fmt: skip
    assert ran.counters["outcomes: ok"] == 1


def test_many_small_files_are_one_task(on_hadoop: OnHadoop, hadoop: Cluster) -> None:
    urls, folder = [f"http://a.example/{number}" for number in range(MANY)], on_hadoop.tmp / "in"
    folder.mkdir()
    for number, url in enumerate(urls):
        line = records.encode(url, Page(Target(), "gone", status=404))
        (folder / f"part-{number:05}").write_bytes(line + b"\n")
    put = hadoop.command("fs", "-put", "-t", "8", str(folder), f"{on_hadoop.crawl.root}/in")
    assert put.returncode == 0, put.stderr
    on_hadoop.run(ParserDriver)
    made = [
        line.split(b"\t")[0].decode()
        for line in on_hadoop.lines(ParserDriver, on_hadoop.crawl.root)
    ]
    assert made == sorted(urls)
    assert len(list(stores.files(on_hadoop.crawl.root / "out-ParserDriver", "part-*"))) == 1


def test_an_empty_layer_is_fetched(on_hadoop: OnHadoop) -> None:
    on_hadoop.put("in/part-00000", [])
    ran = on_hadoop.run(CrawlerDriver)
    assert on_hadoop.lines(CrawlerDriver, on_hadoop.crawl.root) == []
    assert ran.counters.get("answered: records", 0) == 0
