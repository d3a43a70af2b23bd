"""OptimizerDriver: seeds and all layers' Outlinks in, the next layer's Targets out.

Steps: (graph orders: weigh each page's newest links (→ rank)) → fold by URL → share by host → cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from mrjob.compat import jobconf_from_env
from mrjob.step import MRStep

from layercrawl import stores
from layercrawl.job import Job, RecordProtocol, SeedOrRecord, ranking
from layercrawl.ordering import ORDERS
from layercrawl.planning import fold, selection
from layercrawl.planning.fold import Message
from layercrawl.records import Outlinks, Target, UrlState


class OptimizerDriver(Job):
    """Chooses what is fetched next: each URL once, when it is due, in the order that is set."""

    STAGE = "optimizer"
    READS = (Outlinks, UrlState)
    WRITES = Target
    SORT_VALUES = True

    def configure_args(self) -> None:
        super().configure_args()
        self.add_passthru_arg("--limit", type=int, default=0, help="most pages to take; 0: any")
        self.add_passthru_arg("--plans", default="", help="what the order kept of plans before")

    def input_protocol(self) -> RecordProtocol:
        return SeedOrRecord(*self.READS)

    def steps(self) -> list[MRStep]:
        graph = [self.weigh, self.rank][: ORDERS[self.config.order].graph_steps]
        first, *others = [*graph, self.fold, self.share, self.cut]
        spread = {"mapper": self.spread, "mapper_final": self.rest}
        steps = [MRStep(reducer=first, reducer_final=self.tell, **spread)]
        return steps + [MRStep(reducer=other, reducer_final=self.tell) for other in others]

    @cached_property
    def choice(self) -> selection.Selection:
        return selection.Selection(self.config, self.now, self.rules, self.options.plans)

    @cached_property
    def folding(self) -> fold.Folding:
        layer = stores.layer_of(jobconf_from_env("mapreduce.map.input.file", ""))
        return fold.Folding(self.choice.order, layer, self.config)

    def spread(self, url: str, record: Outlinks | UrlState | None) -> Iterator[Message]:
        yield from self.folding.add(url if record else self.rules.without_params(url), record)

    def rest(self) -> Iterator[Message]:
        yield from self.folding.rest()

    def weigh(self, url: bytes, messages: Iterator[bytes]) -> Iterator[Message]:
        yield from fold.weigh(url, messages, self.choice.order)

    def rank(self, key: bytes, values: Iterator[bytes]) -> Iterator[Message]:
        yield from ranking.step(self.choice.order, key, values, self.config.rank_memory)

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
