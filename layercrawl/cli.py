"""`layercrawl`: questions to a crawl's stores, beside `driver.py` which makes them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from layercrawl import stores
from layercrawl.asking.changes import changes
from layercrawl.asking.duplicates import differences, duplicates
from layercrawl.asking.hosts import hosts
from layercrawl.asking.simulate import simulate
from layercrawl.asking.status import status
from layercrawl.asking.why import why
from layercrawl.config import VERSION, Config
from layercrawl.export import EXPORTS
from layercrawl.running.report import printable
from layercrawl.stores import Stores

_ROOT = Config().root


def main(argv: Sequence[str] | None = None) -> int:
    """Answer one question; 2 where there is nothing to answer it from, or it cannot be read."""
    options = _parser().parse_args(argv)
    answer: Callable[[argparse.Namespace], Iterator[str]] = options.answer
    try:
        for line in answer(options):
            print(printable(line), flush=True)
    except BrokenPipeError:  # the reader, such as `head`, has what it wants
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, stores.BadRoot) as error:
        print(printable(f"layercrawl: {error}"), file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="layercrawl", description=__doc__, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"layercrawl {VERSION}")
    verbs = parser.add_subparsers(required=True, metavar="QUESTION")
    shown = verbs.add_parser("status", help="how far a crawl is, and what waits until when")
    shown.set_defaults(answer=lambda options: status(Stores(options.root)))
    told = verbs.add_parser("why", help="why a URL was fetched, or was not")
    told.add_argument("url", metavar="URL")
    told.set_defaults(answer=lambda options: why(Stores(options.root), options.url))
    listed = verbs.add_parser("hosts", help="each host: fetched, waiting, failing, robots.txt")
    listed.set_defaults(answer=lambda options: hosts(Stores(options.root)))
    merged = verbs.add_parser("duplicates", help="pages that were merged; of two: what differs")
    merged.add_argument("urls", metavar="URL", nargs="*", help="two of a group, to compare")
    merged.set_defaults(answer=_duplicates)
    written = verbs.add_parser("export", help="the crawl as XML files, WARC, text or links")
    written.add_argument("form", choices=EXPORTS, help="what to write")
    written.add_argument("target", type=Path, help="a new file or folder; its ending may say more")
    written.set_defaults(answer=_export)
    compared = verbs.add_parser(
        "changes", help="which pages changed, or are gone, when asked again"
    )
    compared.set_defaults(answer=lambda options: changes(Stores(options.root)))
    for verb in (shown, told, listed, merged, written, compared):
        verb.add_argument("--root", default=_ROOT, help=f"the crawl's stores (default: {_ROOT})")
    tried = verbs.add_parser("simulate", help="how soon crawl orders have what matters in a graph")
    tried.add_argument("graph", metavar="GRAPH", type=Path, help="edge list, .npz CSR, or a root")
    tried.add_argument("--order", action="append", default=[], metavar="NAME", help="may repeat")
    tried.add_argument("--budget", type=int, metavar="PAGES", help="per layer; usually a hundredth")
    tried.add_argument("--seeds", default="", metavar="FILE", help="names of pages, one a line")
    tried.add_argument("--plot", default="", metavar="FILE.svg", help="where the curves go")
    tried.set_defaults(answer=lambda o: simulate(o.graph, o.order, o.budget, o.seeds, o.plot))
    return parser


def _duplicates(options: argparse.Namespace) -> Iterator[str]:
    if len(options.urls) not in (0, 2):
        raise ValueError(
            "duplicates: give no URL to list the groups, or two to compare their texts"
        )
    crawl = Stores(options.root)
    return differences(crawl, *options.urls) if options.urls else duplicates(crawl)


def _export(options: argparse.Namespace) -> Iterator[str]:
    written = EXPORTS[options.form](Stores(options.root), options.target)
    yield f"{options.target}: {written} records"


if __name__ == "__main__":
    sys.exit(main())
