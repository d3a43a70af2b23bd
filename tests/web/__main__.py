"""`python -m tests.web --hosts 8 --port 8765`: serves the seeded web and prints its seeds."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.web.features import EXTRAS
from tests.web.serving import listen, run
from tests.web.web import Web, loopback


def hosts(text: str) -> tuple[str, ...]:
    """A number of loopback addresses, or names with commas between."""
    return loopback(int(text)) if text.isdigit() else tuple(text.split(","))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.web", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=hosts, default="8", help="a number, or NAME,NAME,…")
    parser.add_argument("--degree", type=int, default=5, help="links of a plain page")
    parser.add_argument("--depth", type=int, default=3, help="levels of plain pages on a host")
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--log", type=Path, help="a file for one JSON line a request")
    parser.add_argument("--bind", default="", help="listen here instead of on the hosts")
    parser.add_argument("--extra", action="append", default=[], choices=EXTRAS)
    return parser.parse_args()


def main() -> None:
    """Serves until Ctrl-C or SIGTERM."""
    chosen = options()
    sockets = listen([chosen.bind] if chosen.bind else chosen.hosts, chosen.port)
    port = sockets[0].getsockname()[1]
    web = Web(chosen.seed, chosen.hosts, port, chosen.degree, chosen.depth, chosen.extra)
    print("\n".join(web.seeds), flush=True)
    run(web, sockets, chosen.log)


if __name__ == "__main__":
    main()
