"""What the five jobs share: records in and out, options from Config, and how they are run.

With `forked` the only library module that imports mrjob: `inline` is its own runner, `local` ours.
"""

from __future__ import annotations

import gc
import io
import logging
import os
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from mrjob.compat import jobconf_from_env

from layercrawl import clock, config, records, schedule, seeds, urls
from layercrawl.job import streaming
from layercrawl.job.forked import Forked, TaskFailed, described
from layercrawl.job.loops import Loops
from layercrawl.peak import peak_mb
from layercrawl.records import Record
from layercrawl.rules import Rules
from layercrawl.stores import Folder

STATUS_SECONDS = 1.0
Watch = Callable[[list[str]], None]


class RecordProtocol:
    """Lines of a store: reads the given kinds of record, writes any."""

    def __init__(self, *kinds: type[Record]) -> None:
        self.kind: Any = kinds[0] if len(kinds) == 1 else _union(kinds)
        self.line = 0

    def read(self, line: bytes) -> tuple[str, Any]:
        """URL and record; WrongRecord names the file and the line."""
        self.line += 1
        try:
            return records.decode(line, self.kind)
        except records.WrongRecord as error:
            file = input_file() or "standard input"
            raise records.WrongRecord(f"{file}, line {self.line} of the split: {error}") from None

    def write(self, url: str, record: Record) -> bytes:
        return records.encode(url, record)


def input_file() -> str:
    """The file that a task's lines are of, or the first of several; empty: it is not known."""
    found: str = jobconf_from_env("mapreduce.map.input.file", "")
    return found


class SeedOrRecord(RecordProtocol):
    """Lines of seeds, which have no JSON and give (URL, None), and records of stores."""

    def read(self, line: bytes) -> tuple[str, Any]:
        if b"\t{" in line:
            return super().read(line)
        with suppress(ValueError):
            return seeds.seed(line.decode(errors="replace")) or "", None
        return "", None


def _union(kinds: Sequence[Any]) -> Any:
    joined = kinds[0]
    for kind in kinds[1:]:
        joined = joined | kind
    return joined


class BytesProtocol:
    """Messages between steps: bytes before and after the first TAB, none of them CR or LF."""

    def read(self, line: bytes) -> tuple[bytes, bytes]:
        key, _, value = line.partition(b"\t")
        return key, value.rstrip(b"\t")  # Streaming adds a TAB to values that it sorted

    def write(self, key: bytes, value: bytes) -> bytes:
        return key + b"\t" + value


OBJECTS = 100_000
"""How many objects more call for a search for cycles: a page has many, and none of them in cycles.

With Python's own 700 a page of 500,000 links takes a tenth longer.
"""


class Job(Loops):
    """A job of the crawl: the records that it reads and writes, and its settings.

    `BY_FILE`: a task's input has to be of one file, whose name says more than its lines.
    """

    STAGE: ClassVar[str]
    BY_FILE: ClassVar[bool] = False
    READS: ClassVar[tuple[type[Record], ...]]
    WRITES: ClassVar[type[Record]]
    LINES: ClassVar[type[RecordProtocol]] = RecordProtocol

    def __init__(self, args: list[str] | None = None) -> None:
        super().__init__(streaming.unpacked(sys.argv[1:] if args is None else args))

    def configure_args(self) -> None:
        super().configure_args()
        config.add_options(self.add_passthru_arg, config.stage_fields(self.STAGE))
        self.add_passthru_arg("--now", default="", help="the stage's clock, UTC, ISO 8601")
        self.add_file_arg("--seed-hosts", default="", help="file of the seeds' hosts, one a line")

    def input_protocol(self) -> RecordProtocol:
        return self.LINES(*self.READS)

    def internal_protocol(self) -> Any:
        return BytesProtocol()

    def output_protocol(self) -> RecordProtocol:
        return RecordProtocol(self.WRITES)

    def hadoop_input_format(self) -> str | None:
        together = self.options.runner == "hadoop" and not self.BY_FILE
        return streaming.TOGETHER if together else None

    @cached_property
    def config(self) -> config.Config:
        """The settings that this job was given; the others have their defaults."""
        names = {f.name for f in config.stage_fields(self.STAGE)}
        return config.make({k: v for k, v in vars(self.options).items() if k in names})

    @cached_property
    def now(self) -> datetime:
        """The stage's one clock reading, the same in every task."""
        return schedule.moment(self.options.now) if self.options.now else clock.now()

    @cached_property
    def seed_hosts(self) -> frozenset[str]:
        """The hosts that the user's seeds name."""
        file = self.options.seed_hosts
        return frozenset(Path(file).read_text("utf-8").split() if file else ())

    @cached_property
    def rules(self) -> Rules:
        """Which links are followed."""
        c = self.config
        places = self.seed_hosts
        if c.scope == "site":
            places = frozenset(urls.site(f"http://{host}/") for host in places)
        return Rules(c.scope, places, c.include, c.exclude, c.drop_params)

    def count(self, group: str, counts: dict[str, int]) -> None:
        """Add to the job's counters: a line each, so call it once a task."""
        self.stderr.write(b"\n")  # a library may have left an unfinished line
        for name, amount in sorted(counts.items()):
            self.increment_counter(group, " ".join(name.split()), amount)

    def count_own(self, group: str, counts: dict[str, int]) -> None:
        """The same for names that other tasks do not have.

        A Hadoop job may have 120 names or so in all. Where the tasks' own are over a quarter of
        them, they go to the task's log instead, where the runner looks for them.
        """
        most = int(jobconf_from_env("mapreduce.job.counters.max", "0")) // 4
        tasks = int(jobconf_from_env("mapreduce.job.reduces", "1"))
        if not most or len(counts) * tasks <= most:
            self.count(group, counts)
            return
        for name, amount in counts.items():
            line = streaming.logged(group, " ".join(name.split()), amount)
            self.stderr.write(f"\n{line}\n".encode())
        self.count(group, {streaming.IN_LOGS: len(counts)})

    def beat(self, line: Callable[[], str]) -> Callable[[], None]:
        """A function for a long task to call often: it shows `line()` as status, once a second.

        It ends the task when its parent is gone: the orphan of a killed driver must not go on
        fetching beside its successor.
        """
        parent, last = os.getppid(), 0.0

        def tell() -> None:
            nonlocal last
            if os.getppid() != parent:
                os._exit(1)
            if time.monotonic() - last >= STATUS_SECONDS:
                last = time.monotonic()
                self.set_status(line())

        return tell

    def execute(self) -> None:
        """Run the task or the job; what is printed in it goes to stderr, never into the data."""
        gc.set_threshold(OBJECTS)
        self.sandbox(self.stdin, self.stdout, self.stderr)  # keeps these three, which are binary
        text = io.TextIOWrapper(self.stderr, "utf-8", "backslashreplace", write_through=True)
        try:
            with redirect_stdout(text), redirect_stderr(text):
                super().execute()
        finally:
            text.detach()  # so that it does not close what it wrote to

    def _runner_class(self) -> Any:
        ours = {"local": Forked, "hadoop": streaming.Streaming}
        return ours.get(self.options.runner) or super()._runner_class()


@dataclass(frozen=True)
class Ran:
    """What a job counted ("group: name" → amount), and what it cost: seconds, MB."""

    counters: dict[str, int]
    cost: dict[str, float]


class JobFailed(RuntimeError):
    """A job that did not finish: which `job`, the message why, `log` where its traceback is."""

    def __init__(self, job: str, why: str, trace: str = "", log: str = "") -> None:
        super().__init__(why)
        self.job, self.trace, self.log = job, trace, log

    def kept_in(self, path: Folder) -> JobFailed:
        """The same, with its traceback in a file; on a full disk it stays in the message."""
        try:
            path.parent.mkdir(exist_ok=True)
            path.write_text(self.trace, "utf-8", errors="backslashreplace")
        except OSError:
            return JobFailed(self.job, str(self), self.trace, "not kept")
        return JobFailed(self.job, str(self), self.trace, str(path))


def run(
    job_class: type[Job],
    runner: str,
    arguments: list[str],
    inputs: list[str],
    output: Folder,
    scratch: Path,
    watch: Watch,
) -> Ran:
    """Run a job over input globs into the folder `output`, which must not be there yet.

    `watch` is called about every half second with the tasks' newest status lines.
    Raises JobFailed.
    """
    words = ["--runner", runner, f"--output-dir={output}", "--no-check-input-paths"]
    words += [f"--local-tmp-dir={scratch}", *arguments, *inputs]
    if not any(word.startswith("--conf-path") for word in arguments):
        words.insert(0, "--no-conf")  # a file in the user's home would change what runs
    logging.getLogger("mrjob").setLevel(logging.CRITICAL)
    start, cpu = time.monotonic(), _cpu()
    try:
        with job_class(words).make_runner() as made:
            made.watch = watch
            made.run()
            counters = _summed(made.counters())
            peak = getattr(made, "largest", 0) or round(peak_mb() * 1024)
    except TaskFailed as failure:
        raise JobFailed(job_class.__name__, failure.why, str(failure)) from None
    except Exception as error:
        trace = "".join(traceback.format_exception(error))
        raise JobFailed(job_class.__name__, described(error), trace) from None
    wall = time.monotonic() - start
    cost = {"wall": round(wall, 2), "cpu": round(_cpu() - cpu, 2), "rss_mb": peak // 1024}
    return Ran(counters, cost)


def _summed(steps: list[dict[str, dict[str, int]]]) -> dict[str, int]:
    counters: Counter[str] = Counter()
    for groups in steps:
        for group, names in groups.items():
            counters.update({f"{group}: {name}": amount for name, amount in names.items()})
    return dict(counters)


def _cpu() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
