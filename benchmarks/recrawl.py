"""What a recrawl of a corpus transfers, where few of its pages have changed.

    python benchmarks/recrawl.py CORPUS_DIR [--depth 3] [--changed 5] [--days 60]

CORPUS_DIR holds pages, seeds.txt, and an nginx.conf that says which folder is which site's. The
files are served here, each site on a loopback address of its own, with the validators that nginx
gives; nothing of them is touched: pages that changed are changed as they are sent. After the first
crawl so many percent of the pages that it fetched change, and so many days later they are crawled
again. Prints figures, asserts nothing.
"""

import argparse
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from measure import run

PROJECT = Path(__file__).resolve().parent.parent
ROOT = re.compile(r"server_name (\S+); root (\S+);")
TYPES = {".html": "text/html", ".htm": "text/html", ".txt": "text/plain"}
NEWS = b"<p>" + b" ".join(b"novelty%d" % number for number in range(200)) + b"</p>"


class Traffic:
    """What all sites sent together: answers by status, their bytes, and the pages among them."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.bytes = 0
        self.pages: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def add(self, status: int, size: int, page: tuple[str, str] | None) -> None:
        with self._lock:
            self.statuses[status] += 1
            self.bytes += size
            self.pages |= {page} if page else set()

    def begin(self) -> None:
        """Count anew."""
        self.statuses, self.bytes, self.pages = Counter(), 0, set()

    def told(self) -> str:
        counts = ", ".join(f"{n} of {status}" for status, n in sorted(self.statuses.items()))
        return f"{self.statuses.total():6} answers, {self.bytes:10} bytes ({counts})"


class Site(ThreadingHTTPServer):
    """A folder of pages on an address; those in `changed` have news and another date."""

    daemon_threads = True

    def __init__(self, address: str, root: Path, traffic: Traffic) -> None:
        super().__init__((address, 0), Handler)
        self.root, self.traffic = root.resolve(), traffic
        self.changed: set[str] = set()

    def content(self, path: str) -> tuple[bytes, float, str] | None:
        """The bytes of a path, when they changed, and their type; None: there is no such file."""
        file = (self.root / unquote(path).lstrip("/")).resolve()
        file = file / "index.html" if file.is_dir() else file
        if not (file.is_relative_to(self.root) and file.is_file()):
            return None
        kind, body, when = TYPES.get(file.suffix, "image/png"), file.read_bytes(), file.stat()
        if path in self.changed:
            return body.replace(b"</body>", NEWS + b"</body>") + NEWS, when.st_mtime + 86_400, kind
        return body, when.st_mtime, kind


class Handler(BaseHTTPRequestHandler):
    """Answers as nginx does: ETag of date and size, Last-Modified, 304 to who has it."""

    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        found = self.server.content(path)
        body, when, kind = found or (b"<p>not found", 0.0, "text/html")
        etag, date = f'"{int(when):x}-{len(body):x}"', formatdate(when, usegmt=True)
        conditions = (self.headers["If-None-Match"], self.headers["If-Modified-Since"])
        known = etag == conditions[0] or not conditions[0] and date == conditions[1]
        status = 404 if not found else 304 if known else 200
        validators = {"ETag": etag, "Last-Modified": date} if found else {}
        self.answer(status, {"Content-Type": kind, **validators}, b"" if status == 304 else body)
        page = (self.server.server_address[0], path) if kind == "text/html" and found else None
        self.server.traffic.add(status, self.sent, page)

    def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        told = headers if status == 304 else {**headers, "Content-Length": str(len(body))}
        lines = [f"HTTP/1.1 {status} .", "Server: x", f"Date: {formatdate(usegmt=True)}"]
        head = "".join(f"{line}\r\n" for line in [*lines, *(f"{k}: {v}" for k, v in told.items())])
        answer = head.encode() + b"\r\n" + body
        self.sent = len(answer)
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(corpus: Path, traffic: Traffic) -> Iterator[tuple[list[Site], list[str]]]:
    """The corpus' sites, and their seeds."""
    roots = dict(ROOT.findall((corpus / "nginx.conf").read_text()))
    sites, seeds = [], []
    with ExitStack() as stack:
        for number, seed in enumerate(map(urlsplit, (corpus / "seeds.txt").read_text().split())):
            root = Path(roots[seed.hostname or ""])
            site = stack.enter_context(Site(f"127.3.0.{number + 1}", root, traffic))
            threading.Thread(target=site.serve_forever, daemon=True).start()
            stack.callback(site.shutdown)
            sites.append(site)
            seeds.append(f"http://{site.server_address[0]}:{site.server_port}{seed.path}")
        yield sites, seeds


def crawl(root: Path, seeds: list[str], depth: int, now: float, *words: str) -> None:
    """Crawl at a time of day; a crawl that does not end well ends this, too."""
    os.environ |= {"SOURCE_DATE_EPOCH": str(int(now)), "no_proxy": "*"}
    how = ["--delay=0", "--allow-private", "--scope=host", f"--depth={depth}", f"--root={root}"]
    command = [sys.executable, "driver.py", *how, *words, *seeds]
    log = root.with_suffix(".log")
    cost = run(command, log, PROJECT)
    if cost.exit:
        sys.exit(log.read_text())
    print(f"  {cost.wall:.1f} s, {cost.cpu:.1f} CPU s, {cost.rss_mb} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", type=Path, metavar="CORPUS_DIR")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--changed", type=float, default=5.0, metavar="PERCENT")
    parser.add_argument("--days", type=float, default=60.0)
    given = parser.parse_args()
    traffic, chance, now = Traffic(), random.Random(1), time.time()
    with tempfile.TemporaryDirectory() as folder, serving(given.corpus, traffic) as (sites, seeds):
        root = Path(folder) / "crawl"
        crawl(root, seeds, given.depth, now)
        print(f"first crawl {traffic.told()}, {len(traffic.pages)} pages")
        first, pages = traffic.bytes, sorted(traffic.pages)
        chosen = chance.sample(pages, round(len(pages) * given.changed / 100))
        for site in sites:
            site.changed = {path for host, path in chosen if host == site.server_address[0]}
        traffic.begin()
        crawl(root, seeds, given.depth, now + given.days * 86_400, "--recrawl")
        print(f"recrawl     {traffic.told()}, {len(chosen)} pages changed")
        print(f"the recrawl took {traffic.bytes / first:.1%} of the first crawl's bytes")


if __name__ == "__main__":
    main()
