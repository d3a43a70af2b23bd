"""How soon best-first and breadth-first find the articles of a topic.

    python benchmarks/focused.py ARTICLES.jsonl.gz [--topic NAME …] [--draws 5] [--budget 20]

The file has an article a line: `title`, `topics`, `links` (numbers of lines) and `text`. A crawl
starts at three articles of a topic, which are also its documents: nothing else is known of it. Each
layer has the best 20 pages; a page tells its text, and its links the titles of their targets, as
text and in their URLs. Printed is the share of the topic's articles among the first 5, 10 and 20 %
of all pages, the mean of so many draws of seeds.
"""

import argparse
import gzip
import json
import sys
import time
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from layercrawl import urls
from layercrawl.ordering import ORDERS, Order
from layercrawl.records import Outlinks, Target, UrlState
from layercrawl.relevance import Topic

TOPICS = ("Music", "Religion", "IT", "Mathematics")
SHARES = (0.05, 0.1, 0.2)


class Articles:
    """The web of the articles."""

    def __init__(self, path: Path) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            self.all: list[dict[str, Any]] = [json.loads(line) for line in lines]

    @cached_property
    def urls(self) -> list[str]:
        names = (article["title"].replace(" ", "_") for article in self.all)
        return [urls.normalise(f"http://wiki.example/{name}".replace("?", "%3F")) for name in names]

    def about(self, name: str) -> list[int]:
        return [n for n, article in enumerate(self.all) if name in article["topics"]]

    def topic(self, numbers: list[int]) -> Topic:
        said = (self.all[number] for number in numbers)
        return Topic("\n\n".join(f"{article['title']}\n{article['text']}" for article in said))

    def page(self, number: int, target: Target, topic: Topic) -> Outlinks:
        """What ParserDriver would write of an article."""
        article = self.all[number]
        links = [(self.urls[link], self.all[link]["title"]) for link in article["links"]]
        relevance = topic.page(article["title"], article["text"])
        promised = [topic.link(relevance, url, text) for url, text in links]
        return Outlinks(target, "ok", links=links, relevance=relevance, relevances=promised)


def crawl(
    web: Articles, order: Order, seeds: list[int], budget: int, topic: Topic
) -> Iterator[int]:
    """The articles in the order of fetching."""
    states = {seed: UrlState(message=order.seed) for seed in seeds}
    waiting = set(seeds)
    while waiting:
        layer = sorted(waiting, key=lambda n: (-order.score(states[n]), web.urls[n]))[:budget]
        waiting -= set(layer)
        yield from layer
        for number in layer:
            target = Target(depth=states[number].depth, score=order.score(states[number]))
            page = web.page(number, target, topic)
            told = zip(web.all[number]["links"], order.messages(page), strict=False)
            for link, message in told:
                waiting |= {link} - states.keys()
                known = states.get(link, UrlState(depth=target.depth + 1, message=message))
                states[link] = UrlState(
                    depth=min(known.depth, target.depth + 1),
                    message=order.merged(known.message, message),
                )


def shares(found: Iterator[int], about: list[int], pages: int) -> list[float]:
    """The share of the topic's articles after each of `SHARES` of the pages."""
    counts = [round(share * pages) for share in SHARES]
    first = np.isin([number for number, _ in zip(found, range(counts[-1]), strict=False)], about)
    return [float(first[:count].sum()) / len(about) for count in counts]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("articles", type=Path)
    parser.add_argument("--topic", action="append")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--budget", type=int, default=20)
    options = parser.parse_args()
    web, chance = Articles(options.articles), np.random.default_rng(0)
    print(
        f"{'topic':12} {'pages':>5}  {'order':14}"
        + "".join(f"{s:7.0%}" for s in SHARES)
        + "  CPU s"
    )
    for name in options.topic or TOPICS:
        about = web.about(name)
        draws = [chance.choice(about, 3, replace=False).tolist() for _ in range(options.draws)]
        means = {}
        for order in ("breadth-first", "best-first"):
            start = time.process_time()
            found = [
                shares(
                    crawl(web, ORDERS[order], seeds, options.budget, web.topic(seeds)),
                    about,
                    len(web.all),
                )
                for seeds in draws
            ]
            means[order] = np.mean(found, axis=0)
            cells = "".join(f"{share:7.3f}" for share in means[order])
            taken = time.process_time() - start
            print(f"{name:12} {len(about):5}  {order:14}{cells} {taken:6.1f}", flush=True)
        ratios = "".join(f"{r:6.2f}x" for r in means["best-first"] / means["breadth-first"])
        print(f"{'':12} {'':5}  {'':14}{ratios}", flush=True)


if __name__ == "__main__":
    main()
