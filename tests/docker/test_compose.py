"""`docker compose up`, and a node is lost while it fetches: the stores are an inline crawl's.

The module builds the image and starts all services, of a project of its own, and removes them.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import crawling
from tests.web import Web

PROJECT = Path(__file__).parents[2]
FILES = (PROJECT / "docker-compose.yml", Path(__file__).with_name("compose.yml"))
WEB = Web(hosts=[f"{letter}.example" for letter in "abcdefgh"], port=8000, degree=2)
SEEDS = sorted(url for url in WEB.truth(depth=2) if re.fullmatch(r"[\w:/.-]+", url))
"""Many at once: a crawl of few jobs then fetches for some time."""
WORDS = [
    "--depth=0", *crawling.OPTIONS, "--delay=0.3",
    "--near-duplicates=off", "--contact=a@example.org", *SEEDS,
]  # fmt: skip
"""Without near-duplicates there are fewer jobs: each takes long where two cores do all."""
LISTING = "docker compose exec namenode hdfs dfs -ls /crawl"
LOG = "/tmp/access.log"
LATE = "/plain/2/1"
"""Only the first host has it among the seeds, which has most of them."""

pytestmark = pytest.mark.slow


class Compose:
    """The services, as a project of this process."""

    def __init__(self) -> None:
        files = [word for path in FILES for word in ("-f", str(path))]
        self.words = ["docker", "compose", "-p", f"layercrawl-test-{os.getpid()}", *files]
        more = {"SOURCE_DATE_EPOCH": crawling.CLOCK, "CRAWL": " ".join(WORDS)}
        self.environment = {**os.environ, **more}

    def __call__(self, *words: str, seconds: float = 120.0) -> str:
        """What `docker compose` says to these words."""
        ran = subprocess.run(
            [*self.words, *words],
            env=self.environment, capture_output=True, text=True, timeout=seconds,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def copied(self, service: str, path: str, target: Path) -> Path:
        """A file or folder of a service, its packed files unpacked."""
        self("cp", f"{service}:{path}", str(target))
        for packed in target.rglob("*.gz"):
            packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
            packed.unlink()
        return target

    def fetching(self) -> list[str]:
        """The nodes with a task that fetches now, once the host with most URLs is at its turn."""
        if LATE not in self("exec", "-T", "web", "cat", LOG):
            return []
        return [node for node in self("ps", "-q", "nodemanager").split() if _fetches(node)]


def _fetches(container: str) -> bool:
    top = subprocess.run(["docker", "top", container], capture_output=True, text=True)
    return "crawler_driver.py --step-num=0 --reducer" in top.stdout


def missing() -> str:
    """Why there can be no containers here; empty: there can."""
    if shutil.which("docker") is None:
        return "no docker on PATH"
    for words in (["info"], ["compose", "version"]):
        ran = subprocess.run(["docker", *words], capture_output=True, text=True)
        if ran.returncode:
            return f"docker {' '.join(words)}: {ran.stderr.strip()}"
    return ""


def _last_at_work(compose: Compose) -> str:
    """The node that still fetches when the others, whose hosts have few URLs, are done."""
    nodes: list[str] = []

    def only_one() -> bool:
        nodes[:] = compose.fetching()
        return len(nodes) == 1

    crawling.until(only_one, 600)
    return nodes[0]


@pytest.fixture(scope="module")
def compose() -> Iterator[Compose]:
    """All services, with a crawl that has ended, and lost a node; in CI docker must be there."""
    if why := missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"no containers here: {why}")
    made = Compose()
    try:
        made("up", "-d", "--build", seconds=900)
        subprocess.run(["docker", "kill", _last_at_work(made)], check=True, capture_output=True)
        made("wait", "crawl", seconds=900)
        yield made
    finally:
        made("down", "--volumes", "--remove-orphans", "-t", "1")


@pytest.fixture(scope="module")
def log(compose: Compose, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the web was asked for by the crawl."""
    return compose.copied("web", LOG, tmp_path_factory.mktemp("log") / "access.log")


def test_it_ends_with_the_summary(compose: Compose) -> None:
    said = compose("logs", "--no-log-prefix", "crawl")
    assert re.search(r"1 layer, \d+ URLs in all", said)
    assert "Traceback" not in said


def test_no_host_is_asked_by_two_tasks_at_once(log: Path) -> None:
    asked = crawling.requests(log, "layercrawl")
    assert min(crawling.gaps(asked)) >= 0
    robots = [one for one in asked if (one.host, one.path) == ("a.example", "/robots.txt")]
    assert len(robots) == 2, "the lost task's host was not begun anew"


def test_the_stores_are_those_of_one_process(compose: Compose, log: Path, tmp_path: Path) -> None:
    inline = ["role", "crawl", "--runner", "inline", "--root", "/tmp/inline"]
    compose("exec", "-T", "web", *inline, *WORDS, seconds=300)
    compose("exec", "-T", "namenode", "hdfs", "dfs", "-get", "/crawl", "/tmp/hadoop")
    expected = crawling.stores(compose.copied("web", "/tmp/inline", tmp_path / "inline"))
    root = compose.copied("namenode", "/tmp/hadoop", tmp_path / "hadoop")
    found = crawling.stores(root)
    assert found.keys() == expected.keys()
    for folder in expected:
        assert found[folder] == expected[folder], folder
    for folder in ("doc/layer-000", "out/layer-000", "doc/merged", "xml"):
        assert sum(1 for part in (root / folder).glob("part-*") if part.stat().st_size) > 1


def test_containers_may_go_but_the_stores_stay(compose: Compose) -> None:
    anew = ["--force-recreate", "--no-deps", "namenode", "datanode"]
    compose("up", "-d", "--wait", *anew, seconds=300)
    assert LISTING in (PROJECT / "README.md").read_text("utf-8")
    listed = compose("exec", "-T", *LISTING.split()[3:])
    assert {f"/crawl/{name}" for name in ("in", "doc", "out", "xml")} <= set(listed.split())
