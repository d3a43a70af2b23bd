"""What hostile hosts cost good ones: when each good host is done, alone and beside hostile ones.

    python benchmarks/hostile_crawl.py [--delay 0.2] [--hostile 40] [--timeout 5] [--threads 16]

All pages of eight good hosts are fetched in one layer, alone and beside hosts whose pages and
robots.txt keep their visitor waiting for as long as he bears it. Prints for each good host when its
last answer came, in seconds from the first request of all, by the access logs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests import crawling, naming
from tests.web import Web, serve
from tests.web.hostile import Hostile
from tests.web.hostile import serve as serve_hostile

KINDS = ("slow", "robots-drip", "robots-silent", "robots-drip-head")
GOOD = tuple(f"www-{number}.good.test" for number in range(8))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--delay", type=float, default=0.2)
    parser.add_argument("--hostile", type=int, default=40, help="how many hostile hosts")
    parser.add_argument("--timeout", type=float, default=5.0)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--degree", type=int, default=8, help="links of a good page")
    return parser.parse_args()


def measure(root: Path, chosen: argparse.Namespace, hostile: int) -> dict[str, tuple[float, int]]:
    """For each good host the seconds until its last answer, and how many requests it had."""
    good = Web(hosts=GOOD, port=0, degree=chosen.degree, depth=2)
    words = [
        "--depth=0", f"--delay={chosen.delay}", f"--timeout={chosen.timeout}", "--retries=0",
        f"--threads={chosen.threads}", "--layer-minutes=1", "--max-minutes=1",
        "--max-bytes=2000000", f"--seeds={root / 'seeds'}",
    ]  # fmt: skip
    logs = root / "good", root / "hostile"
    with (
        serve(good, logs[0], bind="127.0.0.1") as good,
        serve_hostile(Hostile("hostile.test"), logs[1]) as bad,
    ):
        seeds = [url for url in good.truth(2, "site") if "/timeout" not in url]
        seeds += [f"http://{host}:{good.port}/" for host in GOOD]
        for number in range(hostile):
            host = f"{KINDS[number % len(KINDS)]}.a{number}.test:{bad.port}"
            seeds += [f"http://{host}/{page}" for page in range(30)]
        (root / "seeds").write_text("\n".join(seeds))
        said = crawling.crawl(root / "crawl", *words, program=naming.program({}), options=[])
    assert said[0] == 0, said
    asked = [crawling.requests(log) for log in logs]
    start = min(request.start for requests in asked for request in requests)
    hosts = crawling.by_host(asked[0]).items()
    return {host: (max(x.end for x in mine) - start, len(mine)) for host, mine in hosts}


def main() -> None:
    chosen = options()
    with tempfile.TemporaryDirectory() as folder:
        alone = measure(_made(Path(folder) / "alone"), chosen, 0)
        beside = measure(_made(Path(folder) / "beside"), chosen, chosen.hostile)
    print(f"{'host':20} {'requests':>9} {'alone s':>9} {'beside s':>9} {'ratio':>6}")
    for host in sorted(alone):
        (one, count), (two, _) = alone[host], beside[host]
        print(f"{host:20} {count:9} {one:9.2f} {two:9.2f} {two / one:6.2f}")
    longest = [max(seconds for seconds, _ in times.values()) for times in (alone, beside)]
    print(f"{'the last of all':20} {'':9} {longest[0]:9.2f} {longest[1]:9.2f}", end="")
    print(f" {longest[1] / longest[0]:6.2f}")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    main()
