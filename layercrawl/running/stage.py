"""One stage: a job over complete folders into a new one, checked, marked and renamed."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

import msgspec

from layercrawl import job, schedule, stores
from layercrawl.clock import now as time_of_day
from layercrawl.config import BadConfig, Config
from layercrawl.download import stays
from layercrawl.job import Job, JobFailed, Ran
from layercrawl.running import cluster
from layercrawl.running.report import Report, many
from layercrawl.stores import Folder, Marker, Stores


class Stages:
    """Runs the jobs of one crawl with one set of settings."""

    def __init__(
        self, settings: Config, crawl: Stores, report: Report, seed_hosts: Sequence[str]
    ) -> None:
        self._settings = settings
        self._stores = crawl
        self._report = report
        self._cluster = cluster.prepared(settings, crawl) if settings.runs_on == "hadoop" else None
        self._seed_hosts = crawl.local_scratch() / "seed_hosts"
        self._seed_hosts.write_text("".join(f"{host}\n" for host in seed_hosts), "utf-8")

    def with_settings(self, settings: Config) -> Stages:
        """The same for other settings."""
        other = copy.copy(self)
        other._settings = settings
        return other

    def run(
        self,
        job_class: type[Job],
        output: Folder,
        inputs: Sequence[Folder],
        *,
        reads: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        total: int = 0,
        counted: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        """Make the folder `output` of the folders `inputs`, or of the globs `reads` where given.

        Its marker has the job's counters and what was `counted` on the way there.
        Raises JobFailed; then no folder is made, and the next run makes it.
        """
        title = f"{job_class.__name__} {self._stores.name(output)}"
        now, sibling = clock(), stores.new(output)
        globs = list(map(stores.parts, inputs)) if reads is None else list(reads)
        words = [f"--now={schedule.timestamp(now)}", *arguments]
        with self._report.running(title, total):
            ran = self._job(job_class, sibling, inputs, globs, words)
        _check(job_class, ran)
        totals, longest = stays.split(ran.counters)
        marker = Marker(
            stage=job_class.__name__,
            settings=self._settings.recorded(job_class.STAGE),
            inputs=self.inputs(inputs),
            now=schedule.timestamp(now),
            totals={**counted, **totals},
            cost=ran.cost,
            longest=longest,
        )
        stores.publish(sibling, output, marker)
        self._report.end(title, marker)

    def decide(
        self, job_class: type[Job], inputs: Sequence[Folder], arguments: list[str]
    ) -> tuple[Folder, dict[str, int]]:
        """Run a job whose output only the next one reads; where that lies, and its counters."""
        output = self._stores.scratch() / "decisions"
        ran = self._job(job_class, output, inputs, list(map(stores.parts, inputs)), arguments)
        return output, ran.counters

    def stale(self, folder: Folder, job_class: type[Job], inputs: Sequence[Folder]) -> bool:
        """Whether a derived folder is not there, or was made of other inputs or settings."""
        return not self.holds(folder, job_class.STAGE, inputs)

    def holds(self, folder: Folder, stage: str, inputs: Sequence[Folder]) -> bool:
        """Whether a folder is complete and made of these inputs, with the settings of `stage`."""
        if not stores.complete(folder):
            return False
        made = stores.marker(folder)
        settings = msgspec.json.decode(msgspec.json.encode(self._settings.recorded(stage)))
        same = all(made.settings.get(name) == value for name, value in settings.items())
        return same and made.inputs == self.inputs(inputs)

    def inputs(self, folders: Sequence[Folder]) -> dict[str, str]:
        """The folders with the fingerprints of their markers."""
        return {self._stores.name(folder): stores.fingerprint(folder) for folder in folders}

    def _job(
        self,
        job_class: type[Job],
        output: Folder,
        inputs: Sequence[Folder],
        globs: list[str],
        more: list[str],
    ) -> Ran:
        words = [
            *self._settings.arguments(job_class.STAGE),
            f"--seed-hosts={self._seed_hosts}",
            *more,
        ]
        if self._cluster:
            title = f"{job_class.__name__} {output}"
            words += self._cluster.words(title, job_class.STAGE, map(stores.marker, inputs))
        scratch = self._stores.local_scratch()
        runner, watch = self._settings.runs_on, self._report.watch
        try:
            return job.run(job_class, runner, words, globs, output, scratch, watch)
        except JobFailed as failure:
            raise failure.kept_in(self._stores.log(job_class.__name__)) from None
        finally:
            if self._cluster:
                self._cluster.tidy()


def clock() -> datetime:
    """The time of day, as the stores tell it; BadConfig where SOURCE_DATE_EPOCH is no time."""
    try:
        return time_of_day()
    except ValueError as error:
        raise BadConfig(str(error)) from None


def _check(job_class: type[Job], ran: Ran) -> None:
    """Refuse a layer whose answers are not one to one with its Targets."""
    asked, answered = (
        [ran.counters.get(f"{group}: {name}", 0) for name in ("records", "checksum")]
        for group in ("asked", "answered")
    )
    if asked != answered:
        why = f"{many(asked[0], 'target')} in, {many(answered[0], 'answer')} out"
        others = ", for other URLs" if asked[0] == answered[0] else ""
        raise JobFailed(job_class.__name__, why + others)
