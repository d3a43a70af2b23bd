"""Jobs that do what a job of the crawl may do on a bad day; `python -m tests.tasks` runs one."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from mrjob.step import MRStep

from layercrawl import job
from layercrawl.job import Job, Ran
from layercrawl.records import Outlinks, Target, UrlState

Message = tuple[bytes, bytes]


class Copies(Job):
    """Targets out as they came in."""

    STAGE = "parser"
    READS = (Target,)
    WRITES = Target
    seen = 0

    def mapper(self, url: str, target: Target) -> Iterator[tuple[str, Target]]:
        self.seen += 1
        self.act()
        yield url, target

    def mapper_final(self) -> None:
        self.count("copies", {"seen": self.seen})

    def act(self) -> None:
        """What a subclass does at each record."""


class Chats(Copies):
    def act(self) -> None:
        print("a library's débris \ud800")
        warnings.warn("a library's warning", stacklevel=1)
        logging.getLogger("library").error("a library's log")
        sys.stdout.flush()
        sys.stderr.write("an unfinished line, reporter:counter:copies,seen,5")


class Raises(Copies):
    def act(self) -> None:
        raise ValueError("no such luck\nat all: \ud800")


class RunsOutOfDisk(Copies):
    def act(self) -> None:
        Path("/dev/full").write_text("x")


class IsKilled(Copies):
    def act(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Exits(Copies):
    def act(self) -> None:
        os._exit(7)


class Grows(Copies):
    def act(self) -> None:
        if self.seen == 1:
            self.bytes = b"x" * 100_000_000


class Sleeps(Copies):
    """Writes down its process and stays."""

    def act(self) -> None:
        Path(os.environ["PIDS"], str(os.getpid())).touch()
        time.sleep(60)


class ReadsTwoKinds(Copies):
    READS = (Outlinks, UrlState)  # type: ignore[assignment]


class Hosts(Job):
    """Two steps with sorted values: how many Targets each first letter of a path has."""

    STAGE = "parser"
    READS = (Target,)
    WRITES = Target
    SORT_VALUES = True

    def steps(self) -> list[MRStep]:
        return [
            MRStep(mapper=self.spread, reducer=self.first),
            MRStep(reducer=self.last, reducer_final=self.tell),
        ]

    def spread(self, url: str, target: Target) -> Iterator[Message]:
        self.count("urls", {"spread": 1})
        yield url.partition("//")[2][:1].encode(), b"%d %s" % (target.depth, url.encode())

    def first(self, letter: bytes, rows: Iterator[bytes]) -> Iterator[Message]:
        yield letter, b" ".join(rows)

    def last(self, letter: bytes, rows: Iterator[bytes]) -> Iterator[tuple[str, Target]]:
        for row in rows:
            self.count("urls", {"last": 1})
            yield letter.decode(), Target(via=row.decode())

    def tell(self) -> None:
        self.count("a group, odd", {"a\nname": 1})


def run(
    job_class: type[Job],
    runner: str,
    folder: Path,
    watch: Callable[[list[str]], None] = lambda lines: None,
) -> Ran:
    """Run a job over folder/in/ into folder/out."""
    (folder / "tmp").mkdir(exist_ok=True)
    globs = [f"{folder}/in/part-*"]
    return job.run(job_class, runner, [], globs, folder / "out", folder / "tmp", watch)


if __name__ == "__main__":
    run(globals()[sys.argv[1]], "local", Path(sys.argv[2]))
