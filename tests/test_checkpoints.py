"""With a checkpoint after each layer or never: the same plans to the byte, whatever the order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest

from jobs.optimizer_driver import OptimizerDriver
from layercrawl import config, records, stores
from layercrawl.ordering import ORDERS
from layercrawl.records import Outlinks, Target
from layercrawl.running import checkpoints
from layercrawl.running.checkpoints import Checkpoints
from layercrawl.running.limits import Limits
from layercrawl.running.report import Report
from layercrawl.running.stage import Stages
from layercrawl.stores import Marker, Stores

START = datetime(2026, 1, 1, tzinfo=UTC)
LAYERS = 5
PAGES = 9
SEED = "http://a.example/0"


def link(number: int) -> str:
    number %= PAGES
    return f"http://{'ab'[number % 2]}.example/{number}"


def answered(url: str, target: Target, layer: int) -> Outlinks:
    """What a URL answers: pages get other links, are the same, fail and go, and come again."""
    number = int(url.rpartition("/")[2])
    later = layer - target.depth
    kind = (number + later) % 5 if later else 0
    outcome = ("ok", "not_modified", "gone", "failed", "ok")[kind]
    names = [link(number * 2 + 1), link(number * 3 + 2), link(number + later)]
    links = [(name, "text") for name in dict.fromkeys(names) if outcome == "ok" and name != url]
    moment = START + timedelta(days=20 * layer, seconds=number)
    return Outlinks(
        target, outcome, fetched=moment.strftime("%Y-%m-%dT%H:%M:%SZ"), links=links,
        digest=f"{number}{kind}", simhash=f"{number + 1:016x}", etag=f'"{kind}"',
    )  # fmt: skip


class Crawl:
    """A crawl of that web by plans alone."""

    def __init__(self, root: Path, **settings: object) -> None:
        words = {"runner": "inline", "depth": 9, "budget": 3, "recrawl": True, **settings}
        self.settings = config.make(words)
        self.stores = Stores(root)
        self.stores.add_seeds([SEED])
        stages = Stages(self.settings, self.stores, Report(config.Config(quiet=True)), [])
        self.stages, self.limits = stages, Limits(self.settings, self.stores)
        self.checkpoints = Checkpoints(self.stores, stages, OptimizerDriver)

    def layers(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
        """The lines of each layer's plan."""
        for layer in range(LAYERS):
            now = START + timedelta(days=20 * layer)
            monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(now.timestamp())))
            yield self.plan(layer)
            self.fetch(layer)

    def plan(self, layer: int) -> list[bytes]:
        folder = self.stores.layer("in", layer)
        known = [self.stores.layer("out", number) for number in range(layer)]
        told = map(stores.parts, self.checkpoints.standing_for(known))
        reads, words = [f"{self.stores.seeds}/*", *told], self.limits.for_plan(layer)
        self.stages.run(OptimizerDriver, folder, known, reads=reads, arguments=words)
        return [line for path in stores.files(folder, "part-*") for line in path.open("rb")]

    def fetch(self, layer: int) -> None:
        out = self.stores.layer("out", layer)
        sibling = stores.new(out)
        sibling.mkdir()
        targets = stores.read(self.stores.layer("in", layer), Target)
        pages = [(url, answered(url, target, layer)) for url, target in targets]
        lines = [records.encode(url, page) + b"\n" for url, page in pages]
        (sibling / "part-00000").write_bytes(b"".join(lines))
        stores.publish(sibling, out, Marker("fetched", {}, {}, "", {"links: followed": len(pages)}))

    def kept(self) -> list[str]:
        return sorted(path.name for path in (self.stores.root / "out").glob("checkpoint-*"))


def always(before: int, since: int) -> bool:
    return since > 0


def never(before: int, since: int) -> bool:
    return False


@pytest.mark.parametrize("order", ORDERS)
def test_plans_are_the_same_with_checkpoints_and_without(order, tmp_path, monkeypatch) -> None:
    plans, kept = [], []
    for outgrown in (never, always):
        monkeypatch.setattr(checkpoints, "outgrown", outgrown)
        crawl = Crawl(tmp_path / outgrown.__name__, order=order)
        plans.append(list(crawl.layers(monkeypatch)))
        kept.append(crawl.kept())
    assert plans[0] == plans[1] and all(plans[0])
    assert any(b'"etag"' in line for line in plans[0][-1])  # revisits are among them
    assert kept == [[], [f"checkpoint-{LAYERS - 2:03d}"]]


def kept_after(layers: int, root: Path, monkeypatch: pytest.MonkeyPatch) -> Crawl:
    """A crawl with a checkpoint after each of so many layers, and none from now on."""
    monkeypatch.setattr(checkpoints, "outgrown", always)
    crawl = Crawl(root)
    for _ in islice(crawl.layers(monkeypatch), layers):
        pass
    monkeypatch.setattr(checkpoints, "outgrown", never)
    return crawl


def test_a_checkpoint_holds_as_long_as_what_it_is_made_of(tmp_path, monkeypatch) -> None:
    crawl = kept_after(3, tmp_path, monkeypatch)
    known = [crawl.stores.layer("out", number) for number in range(2)]
    made = crawl.stores.root / "out" / "checkpoint-001"
    crawl.fetch(2)
    third = crawl.stores.layer("out", 2)
    assert crawl.checkpoints.standing_for([*known, third]) == [made, third]
    assert Crawl(tmp_path, budget=7).checkpoints.standing_for(known) == [made]
    assert Crawl(tmp_path, depth=10).checkpoints.standing_for(known) == known
    crawl.fetch(1)
    before = stores.fingerprint(known[1])
    marker = Marker("fetched anew", {}, {}, "", {})
    stores.publish(known[1].rename(stores.new(known[1])), known[1], marker)
    assert stores.fingerprint(known[1]) != before
    assert crawl.checkpoints.standing_for(known) == known


def test_what_lies_in_a_checkpoint_that_was_not_finished_is_not_read(tmp_path, monkeypatch) -> None:
    crawl = kept_after(2, tmp_path, monkeypatch)
    made = crawl.stores.root / "out" / "checkpoint-000"
    (made / stores.MARKER).unlink()
    known = [crawl.stores.layer("out", 0)]
    assert crawl.checkpoints.standing_for(known) == known
    monkeypatch.setattr(checkpoints, "outgrown", always)
    assert crawl.checkpoints.standing_for(known) == [made] and stores.complete(made)


def test_a_checkpoint_is_made_once_the_layers_have_outgrown_the_last(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(checkpoints, "SMALLEST", 2)
    crawl = Crawl(tmp_path)
    found = []
    for _ in crawl.layers(monkeypatch):
        found.append(crawl.kept())
    assert found == [[], [], ["checkpoint-001"], ["checkpoint-001"], ["checkpoint-003"]]
