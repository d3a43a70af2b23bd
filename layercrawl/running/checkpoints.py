"""Checkpoints: the fold of all layers up to one, so that a plan need not read them all again.

A plan reads the newest checkpoint and the layers since. Where these have outgrown it, a new one is
made of both first: so each is written when as much again has come, and a layer costs its own events
and one pass over what is known. A checkpoint holds as long as its layers and the settings do that
the fold goes by; else all layers are read again.
"""

from __future__ import annotations

from collections.abc import Sequence

from layercrawl import stores
from layercrawl.job import Job
from layercrawl.running.stage import Stages
from layercrawl.stores import Folder, Stores

SMALLEST = 500_000
"""Links of layers that are read again for each plan without ado: some seconds' work."""
_STAGE = "fold"
_URLS, _LINKS = "urls: known", "links: followed"


def outgrown(before: int, since: int) -> bool:
    """Whether the links since a checkpoint are worth a new one, which has so many URLs before.

    >>> outgrown(0, SMALLEST), outgrown(0, SMALLEST + 1), outgrown(3 * SMALLEST, 2 * SMALLEST)
    (False, True, False)
    """
    return since > max(before, SMALLEST)


class Checkpoints:
    """Those of one crawl; `job_class` makes them, with `--pass=keep`."""

    def __init__(self, crawl: Stores, stages: Stages, job_class: type[Job]) -> None:
        self._stores, self._stages, self._job_class = crawl, stages, job_class

    def standing_for(self, layers: Sequence[Folder]) -> list[Folder]:
        """The folders that tell all that these layers of `out/` do, perhaps with a new checkpoint.

        `layers` are all from 0 on.
        """
        covered = self._covered(layers)
        before = [self._folder(covered)] if covered else []
        since = list(layers[covered:])
        if not outgrown(_counted(before, _URLS), _counted(since, _LINKS)):
            return [*before, *since]
        made = self._folder(len(layers))
        reads = list(map(stores.parts, [*before, *since]))
        self._stages.run(self._job_class, made, layers, reads=reads, arguments=["--pass=keep"])
        self._remove_all_but(made)
        return [made]

    def _covered(self, layers: Sequence[Folder]) -> int:
        """How many layers the newest checkpoint has that holds."""
        for count in range(len(layers), 0, -1):
            folder = self._folder(count)
            if self._stages.holds(folder, _STAGE, layers[:count]):
                return count
        return 0

    def _folder(self, count: int) -> Folder:
        """The checkpoint of so many layers; its number is the last one's."""
        return self._stores.root / "out" / f"checkpoint-{count - 1:03d}"

    def _remove_all_but(self, kept: Folder) -> None:
        for folder in stores.files(kept.parent, "checkpoint-*"):
            if folder != kept:
                stores.remove(folder)


def _counted(folders: Sequence[Folder], counter: str) -> int:
    """What the folders' markers say of a count; to look at their files may take a JVM each."""
    return sum(stores.marker(folder).totals.get(counter, 0) for folder in folders)
