"""OptimizerDriver: seeds and all layers' Outlinks in, the next layer's Targets out.

Steps: (graph orders: weigh each page's newest links (→ rank)) → fold by URL → share by host → cut.
Or only the fold, kept as a checkpoint, from which later plans go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any

from mrjob.step import MRStep

from layercrawl import stores
from layercrawl.job import Job, SeedOrRecord, input_file, ranking
from layercrawl.planning import fold, selection, weighing
from layercrawl.planning.fold import Message
from layercrawl.records import Outlinks, Target, UrlState


class OptimizerDriver(Job):
    """Chooses what is fetched next: each URL once, when it is due, in the order that is set."""

    STAGE = "optimizer"
    BY_FILE = True  # it names the layer
    READS = (Outlinks, UrlState)
    WRITES = Target
    LINES = SeedOrRecord
    SORT_VALUES = True

    def configure_args(self) -> None:
        super().configure_args()
        self.add_passthru_arg("--limit", type=int, default=0, help="most pages to take; 0: any")
        self.add_passthru_arg("--plans", default="", help="what the order kept of plans before")
        self.add_passthru_arg("--pass", dest="passing", choices=["plan", "keep"], default="plan")

    def steps(self) -> list[MRStep]:
        spread = {"mapper": self.spread, "mapper_final": lambda: self.folding.rest()}
        if self.options.passing == "keep":
            return [MRStep(reducer=self.keep, reducer_final=self.tell, **spread)]
        rank = partial(ranking.step, self.choice.order, memory=self.config.rank_memory)
        weighed = weighing.Weighing(self.choice.order)
        graph: list[tuple[Any, Any]] = [(weighed.add, weighed.rest), (rank, self.tell)]
        rest: list[tuple[Any, Any]] = [(s, self.tell) for s in (self.fold, self.share, self.cut)]
        (first, final), *others = [*graph[: self.choice.order.graph_steps], *rest]
        steps = [MRStep(reducer=first, reducer_final=final, **spread)]
        return steps + [MRStep(reducer=other, reducer_final=end) for other, end in others]

    @cached_property
    def choice(self) -> selection.Selection:
        return selection.Selection(self.config, self.now, self.rules, self.options.plans)

    @cached_property
    def folding(self) -> fold.Folding:
        layer = stores.layer_of(input_file())
        return fold.Folding(self.choice.order, layer, self.config)

    def spread(self, url: str, record: Outlinks | UrlState | None) -> Iterator[Message]:
        yield from self.folding.add(url if record else self.rules.without_params(url), record)

    def keep(self, url: bytes, messages: Iterator[bytes]) -> Iterator[tuple[str, UrlState]]:
        self.choice.counts["known"] += 1
        yield url.decode(), weighing.kept(messages, self.choice.order)

    def fold(self, url: bytes, messages: Iterator[bytes]) -> Iterator[Message]:
        yield from self.choice.candidate(url.decode(), fold.folded(messages, self.choice.order))

    def share(self, host: bytes, rows: Iterator[bytes]) -> Iterator[Message]:
        yield from ((b"layer", row) for row in self.choice.of_host(rows))

    def cut(self, _: bytes, rows: Iterator[bytes]) -> Iterator[tuple[str, Target]]:
        yield from self.choice.taken(rows, self.options.limit)

    def tell(self) -> None:
        self.count("urls", self.choice.counts)


if __name__ == "__main__":
    OptimizerDriver.run()
