"""The `hadoop` runner on the stand-in: what it asks for, and what it makes of what is said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from jobs.merge_driver import MergeDriver
from jobs.optimizer_driver import OptimizerDriver
from jobs.parser_driver import ParserDriver
from layercrawl import config, job, stores
from layercrawl.download import stays
from layercrawl.job import Job, JobFailed, Ran, watching, yarn
from layercrawl.running import cluster
from layercrawl.stores import Marker, Stores
from tests.hadoop import standin

COMPLAINTS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "hadoop_complaints.json").read_text("utf-8")
)
SAID = """\
2026-12-01 12:37:55,850 INFO impl.YarnClientImpl: Submitted application application_1_10001
2026-12-01 12:37:56,850 INFO mapreduce.Job: Running job: job_1_10001
2026-12-01 12:37:57,850 INFO mapreduce.Job:  map 100% reduce 0%
2026-12-01 12:37:58,850 INFO mapreduce.Job: Counters: 6
\tJob Counters\x20
\t\tLaunched map tasks=1
\tFile System Counters
\t\tHDFS: Number of bytes read=8
\tMap-Reduce Framework
\t\tPeak Map Physical memory (bytes)=204800000
\t\tPeak Map Virtual memory (bytes)=904800000
\tlinks
\t\tfollowed=3
2026-12-01 12:37:59,850 INFO streaming.StreamJob: Output directory: hdfs:///out
"""
FAILED = """\
2026-12-01 12:37:55,850 INFO impl.YarnClientImpl: Submitted application application_1_0002
Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads(): subprocess failed with code 1
\tat org.apache.hadoop.streaming.PipeMapRed.waitOutputThreads(PipeMapRed.java:326)
2026-12-01 12:37:58,850 ERROR streaming.StreamJob: Job not successful!
Streaming Command Failed!
"""
LOGS = """\
Container: container_1 on node
LogContents:
a library's chatter
Traceback (most recent call last):
  File "parser_driver.py", line 1, in <module>
    fail()
ValueError: no such luck
End of LogType:stderr
"""


@pytest.fixture(autouse=True)
def no_wait_for_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yarn, "LOG_SECONDS", 0.0)


def run(
    tmp_path: Path,
    *words: str,
    seen: list[list[str]] | None = None,
    job_class: type[Job] = ParserDriver,
) -> Ran:
    watch: Any = (seen if seen is not None else []).append
    output: Any = "hdfs:///out"
    return job.run(job_class, "hadoop", list(words), ["hdfs:///in"], output, tmp_path, watch)


def test_a_job_costs_one_jvm_and_its_counters_are_the_tasks(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"0\n{SAID}")
    seen: list[list[str]] = []
    run(tmp_path, "--no-bootstrap-mrjob", "--cleanup=LOCAL_TMP")  # asks for the version, once
    before = len(standin.calls(home))
    ran = run(tmp_path, "--no-bootstrap-mrjob", "--cleanup=LOCAL_TMP", seen=seen)
    assert [words[0] for words in standin.calls(home)[before:]] == ["jar"]
    assert ran.counters == {"links: followed": 3}
    assert ran.cost["rss_mb"] == 195
    assert seen == [["map 100% reduce 0%"]]


class _Master(BaseHTTPRequestHandler):
    """An application master that knows one task, and says so to its page alone."""

    def do_GET(self) -> None:
        there = self.path == "/proxy/application_1_10001/ws/v1/mapreduce/jobs/job_1_10001/tasks"
        self.send_response(200 if there else 404)
        self.end_headers()
        if there:
            self.wfile.write(b'{"tasks":{"task":[{"status":"{\\"ok\\":7} > reduce"}]}}')

    def log_message(self, *_: Any) -> None:
        pass


def test_what_tasks_say_is_seen_while_they_run(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "_SECONDS", 0.01)
    monkeypatch.setenv("STANDIN_SECONDS", "0.5")
    seen: list[list[str]] = []
    with HTTPServer(("127.0.0.1", 0), _Master) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        at = f"http://127.0.0.1:{server.server_port}/proxy/application_1_10001/"
        said = f"2026-12-01 12:37:56,850 INFO mapreduce.Job: The url to track the job: {at}\n"
        (home / "jar").write_text(f"0\n{said}{SAID}")
        run(tmp_path, seen=seen)
        server.shutdown()
    assert ['{"ok":7}'] in seen
    now = len(seen)
    time.sleep(0.1)
    assert len(seen) == now


def test_names_that_are_too_many_for_counters_are_looked_for_in_the_logs(
    home: Path, tmp_path: Path
) -> None:
    (home / "jar").write_text(
        f"0\n{SAID}".replace("followed=3", "followed=3\n\tlongest\n\t\tin logs=2")
    )
    lines = [
        f"Container: c{n}\nlayercrawl counted longest: h{n}.example 50: {n}000" for n in (1, 2)
    ]
    (home / "logs").write_text("0\nchatter\n" + "\n".join(lines) + "\nEnd of LogType:stderr\n")
    ran = run(tmp_path)
    told = {"longest: h1.example 50": 1000, "longest: h2.example 50": 2000}
    assert ran.counters == {"links: followed": 3, **told}
    assert [s.host for s in stays.split(ran.counters)[1]] == ["h2.example", "h1.example"]


def test_logs_that_do_not_come_are_not_waited_for_long(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(
        f"0\n{SAID}".replace("links\n\t\tfollowed=3", "longest\n\t\tin logs=2")
    )
    assert run(tmp_path).counters == {}


def test_a_failed_job_shows_the_tasks_traceback(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"1\n{FAILED}")
    (home / "logs").write_text(f"0\n{LOGS}")
    with pytest.raises(JobFailed, match="^ValueError: no such luck$") as failed:
        run(tmp_path)
    assert failed.value.trace.startswith("Traceback (most recent call last):\n  File")
    (asked,) = [words for words in standin.calls(home) if words[0] == "logs"]
    assert asked[1:3] == ["-applicationId", "application_1_0002"]


def test_a_node_with_another_python_is_named(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"1\n{FAILED}")
    told = "this node has Python 3.6 on linux x86_64, and the driver"
    (home / "logs").write_text(f"0\nContainer: c\nlayercrawl: {told}\n{LOGS}")
    with pytest.raises(JobFailed, match=f"^{told}$"):
        run(tmp_path)


def test_a_job_that_fails_without_a_traceback(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"1\n{FAILED}")
    with pytest.raises(JobFailed, match="subprocess failed with code 1"):
        run(tmp_path)
    (home / "jar").write_text("1\n")
    with pytest.raises(JobFailed, match="it said nothing"):
        run(tmp_path)


@pytest.mark.parametrize("case", COMPLAINTS, ids=lambda case: case["description"])
def test_what_helps_is_said(case: dict[str, Any], home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text("\n".join(["1", *case["said"], ""]))
    with pytest.raises(JobFailed, match=case["told"]):
        run(tmp_path)


def test_what_a_task_in_the_masters_container_complains_of_is_found(
    home: Path, tmp_path: Path
) -> None:
    line = "2026-12-01 12:37:58,850 INFO mapreduce.Job: Job job_1_0002 failed with state FAILED"
    application = FAILED.splitlines()[0]
    (home / "jar").write_text(f"1\n{application}\n{line}\n")
    (home / "logs").write_text(
        "0\nContainer: c\n2026-12-01 12:37:57,000 INFO [x] TaskImpl: Diagnostics report from"
        " attempt_1_0002_r_000000_0: x.DSQuotaExceededException: The DiskSpace quota is exceeded\n"
    )
    with pytest.raises(JobFailed, match="HDFS is full.*\\(x.DSQuotaExceededException: The DiskSp"):
        run(tmp_path)


class Interrupts:
    """Ctrl-C as soon as a job is at work."""

    def append(self, _: list[str]) -> None:
        os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupted_run_takes_its_job_with_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "jar").write_text(f"0\n{SAID}")
    monkeypatch.setenv("STANDIN_SECONDS", "30")
    seen: Any = Interrupts()
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, seen=seen)
    assert standin.calls(home)[-1] == ["application", "-kill", "application_1_10001"]


def test_jobs_of_a_killed_driver_are_ended(home: Path) -> None:
    (home / "application").write_text("0\nTotal number of applications: 1\napplication_1_0007\tx\n")
    crawl = Stores("hdfs:///crawl")
    cluster.end_orphans(crawl)
    assert [words for words in standin.calls(home) if words[0] == "application"] == []
    (crawl.scratch() / "x").write_bytes(b"")
    cluster.end_orphans(crawl)
    listed, killed = [words for words in standin.calls(home) if words[0] == "application"]
    assert listed[1:4] == ["-list", "-appTags", cluster.tag(crawl)]
    assert killed == ["application", "-kill", "application_1_0007"]


def test_a_yarn_that_cannot_be_asked_is_named(home: Path) -> None:
    (home / "application").write_text("1\n")
    with pytest.raises(OSError, match="YARN cannot be asked"):
        yarn.running("tag")


def test_a_yarn_that_does_not_answer_is_not_waited_for(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yarn, "_PATIENCE", 0.001)
    with pytest.raises(OSError, match="YARN's ResourceManager does not answer"):
        yarn.running("tag")
    (home / "jar").write_text(f"1\n{FAILED}")
    with pytest.raises(JobFailed, match="subprocess failed with code 1"):  # without the tasks' logs
        run(tmp_path)


def test_the_code_is_put_once(home: Path) -> None:
    crawl = Stores("hdfs:///crawl")
    settings = config.make({"root": "hdfs:///crawl", "python_bin": "/opt/python"})
    made = cluster.prepared(settings, crawl)
    assert [path.name for path in (crawl.root / "_code").glob("*")] == [made.code[-20:]]
    before = len(standin.calls(home))
    assert cluster.prepared(settings, crawl).code == made.code
    assert [words[1] for words in standin.calls(home)[before:]] == ["-mkdir"]
    assert crawl.disturbed()


def test_the_words_of_a_job(home: Path) -> None:
    settings = config.make({
        "root": "hdfs:///crawl", "define": ["mapreduce.job.reduces=7", "a=b=c"], "queue": "slow",
        "mrjob_conf": "mrjob.conf",
    })  # fmt: skip
    place = Stores("hdfs:///crawl").root
    made = cluster.Cluster(settings, "hdfs:///code.tgz", place, "tag")
    marker = Marker("Job", {}, {}, "now", {"urls: taken": 2500})
    words = made.words("CrawlerDriver", "crawler", [marker])
    for word in (
        "-Dmapreduce.job.reduces=7", "-Da=b=c", "-Dmapreduce.job.queuename=slow",
        "-Dmapreduce.reduce.speculative=false", "-Dmapreduce.job.tags=tag",
        "--archives=hdfs:///code.tgz#code", "--conf-path=mrjob.conf", "--python-bin=python3",
    ):  # fmt: skip
        assert word in words
    plain = cluster.Cluster(config.make({"root": "hdfs:///crawl"}), "", place, "")
    assert "-Dmapreduce.job.reduces=3" in plain.words("x", "crawler", [marker])
    assert "-Dmapreduce.job.reduces=1" in plain.words("x", "parser", [marker])


CONF = """
runners:
  hadoop:
    jobconf: {mapreduce.reduce.memory.mb: 2048}
    cmdenv: {TZ: Europe/Berlin}
    hadoop_extra_args: [-verbose]
  emr: {region: eu-central-1}
  dataproc: {zone: europe-west1-b}
"""


def test_what_mrjobs_own_file_says_of_hadoop_reaches_the_job(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"0\n{SAID}")
    (tmp_path / "mrjob.conf").write_text(CONF)
    run(tmp_path, f"--conf-path={tmp_path}/mrjob.conf", "-Dmapreduce.job.reduces=3")
    (words,) = [words for words in standin.calls(home) if words[0] == "jar"]
    assert {"mapreduce.reduce.memory.mb=2048", "TZ=Europe/Berlin", "-verbose"} <= {*words}


@pytest.mark.parametrize("job_class", [ParserDriver, MergeDriver, OptimizerDriver])
def test_small_files_are_one_tasks_input_but_where_their_names_tell_the_layer(
    job_class: type[Job], home: Path, tmp_path: Path
) -> None:
    (home / "jar").write_text(f"0\n{SAID}")
    run(tmp_path, job_class=job_class)
    first, *others = [words for words in standin.calls(home) if words[0] == "jar"]
    assert ("-inputformat" in first) == (job_class is not OptimizerDriver)
    assert all("-inputformat" in words for words in others)


def test_a_step_without_a_reducer_has_none(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"0\n{SAID}")
    run(tmp_path, "-Dmapreduce.job.reduces=3", "--no-bootstrap-mrjob")
    (words,) = [words for words in standin.calls(home) if words[0] == "jar"]
    assert "mapreduce.job.reduces=0" in words
    assert "mapreduce.job.reduces=3" not in words


def test_stores_stay_readable(home: Path) -> None:
    crawl = Stores("hdfs:///crawl")
    assert stores.parts(crawl.layer("in", 0)) == "hdfs:///crawl/in/layer-000/part-*"
    done = subprocess.run(
        [sys.executable, "-m", "layercrawl.cli", "status", "--root", "hdfs:///crawl"],
        capture_output=True, check=False, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        "layercrawl: --root hdfs:///crawl: no crawl lies here\n",
    )


def test_a_tasks_command_has_nothing_to_quote(home: Path, tmp_path: Path) -> None:
    (home / "jar").write_text(f"0\n{SAID}")
    run(tmp_path, '--exclude=it\'s "so" \\', "--no-bootstrap-mrjob")
    (words,) = [words for words in standin.calls(home) if words[0] == "jar"]
    command = words[words.index("-mapper") + 1]
    assert not set(command) & set("'\"\\")
    *_, given = command.split()
    made = ParserDriver(["--mapper", given])
    assert made.config.exclude == ('it\'s "so" \\',)
