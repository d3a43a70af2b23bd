"""What slow bodies cost a fetching task: its peak memory while each host holds back its last byte.

    python benchmarks/bodies.py [--hosts 96] [--threads 32] [--megabytes 10]

Every host's page is one character that takes four bytes as text, and letters; all but its last byte
comes at once, and that when all hosts are that far. Prints a line of JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from layercrawl.config import Config
from layercrawl.download.handover import Room
from layercrawl.download.plan import Plan
from layercrawl.download.spool import Spool
from layercrawl.download.turns import download
from layercrawl.fetch import Fetcher
from layercrawl.peak import peak_mb
from layercrawl.records import Target, encode
from layercrawl.rules import Rules
from tests import naming

_HEAD = b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n"
_PIECE = 1 << 18


async def serve(hosts: int, size: int) -> None:
    """Serve on a port that is printed; a page ends once `hosts` of them are nearly sent."""
    body = "\U0001f600".encode() + b"word " * (size // 5)
    sent, all_sent = [0], asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while b"robots.txt" in await reader.readuntil(b"\r\n\r\n"):
            writer.write(_HEAD % (b"404 Not Found", 0))
        writer.write(_HEAD % (b"200 OK", len(body)))
        for start in range(0, len(body) - 1, _PIECE):
            writer.write(body[start : min(start + _PIECE, len(body) - 1)])
            await writer.drain()
        sent[0] += 1
        if sent[0] == hosts:
            all_sent.set()
        await all_sent.wait()
        writer.write(body[-1:])
        await writer.drain()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def measure(hosts: int, threads: int, megabytes: int) -> dict[str, Any]:
    """Fetch all; the figures."""
    words = [sys.executable, __file__, "--serve", f"--hosts={hosts}", f"--megabytes={megabytes}"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin and server.stdout
        port = int(server.stdout.readline())
        names = [f"host-{number}.test" for number in range(hosts)]
        naming.know({})
        config = Config(delay=0.0, threads=threads, max_bytes=10**9, timeout=300, retries=0)
        spool, room = Spool(), Room()
        for name in names:
            spool.begin(name, iter([encode(f"http://{name}:{port}/", Target())]))
        fetcher = Fetcher(config, frozenset(names), room)
        plan = Plan(
            config, Rules("any"), fetcher, datetime.now(UTC), time.monotonic() + 600, room
        )  # fmt: skip
        written = 0
        for item, page in download(spool, plan, lambda: None):
            if item.target.kind == "page":
                assert page.outcome == "ok", page.reason
                written += len(encode(item.url, page))
        server.stdin.close()
    return {"hosts": hosts, "written_mb": round(written / 1e6), "peak_mb": round(peak_mb())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=96)
    parser.add_argument("--threads", type=int, default=32)
    parser.add_argument("--megabytes", type=int, default=10)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(serve(given.hosts, given.megabytes * 10**6))
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        print(json.dumps(measure(given.hosts, given.threads, given.megabytes)))


if __name__ == "__main__":
    main()
