"""A stand-in for Hadoop where the real one would be slow: HDFS is a folder of this machine.

`serve` answers WebHDFS; `install` puts a `hadoop` and a `yarn` command into a folder, which write
down each call. What real Hadoop does is what the tests beside this one find out.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

_PROJECT = Path(__file__).parents[2]


# WebHDFS


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def answer(self) -> None:
        parts = urlsplit(self.path)
        words = {name: values[0] for name, values in parse_qs(parts.query).items()}
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.server.refusals:
            self.refuse(*self.server.refusals.pop(0))
        elif parts.path.startswith("/data/"):
            self.data(Path(unquote(parts.path[5:])), content)
        else:
            name = unquote(parts.path.removeprefix("/webhdfs/v1"))
            self.name(words, self.server.folder / name.lstrip("/"))

    do_GET = do_PUT = do_DELETE = answer

    def data(self, path: Path, content: bytes) -> None:
        if self.command == "PUT":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.send(201 if content else 200, path.read_bytes() if self.command == "GET" else b"")

    def name(self, words: dict[str, str], path: Path) -> None:
        op = words["op"]
        if op in ("GETFILESTATUS", "LISTSTATUS", "OPEN") and not path.exists():
            self.refuse(404, "FileNotFoundException", f"{path} does not exist")
        elif op == "GETFILESTATUS":
            self.tell({"FileStatus": status(path, "")})
        elif op == "LISTSTATUS":
            found = [status(one, one.name) for one in sorted(path.iterdir())]
            self.tell({"FileStatuses": {"FileStatus": found}})
        elif op in ("OPEN", "CREATE"):
            host, port = self.server.server_address[:2]
            self.tell({"Location": f"http://{host!s}:{port}/data{path}"})
        else:
            self.tell({"boolean": self.change(op, words, path)})

    def change(self, op: str, words: dict[str, str], path: Path) -> bool:
        if op == "MKDIRS":
            path.mkdir(parents=True, exist_ok=True)
        elif op == "SETTIMES":
            moment = int(words["modificationtime"]) / 1000
            os.utime(path, (moment, moment))
        elif op == "RENAME":
            target = self.server.folder / words["destination"].lstrip("/")
            if target.exists() or not path.exists():
                return False
            path.rename(target)
        elif op == "DELETE":
            erase(path)
        return True

    def tell(self, content: Any) -> None:
        self.send(200, json.dumps(content).encode())

    def refuse(self, code: int, exception: str, message: str) -> None:
        told = {"RemoteException": {"exception": exception, "message": message}}
        self.send(code, json.dumps(told).encode())

    def send(self, code: int, content: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """WebHDFS over `folder`; it answers with `refusals` first: status, exception, message."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.refusals: list[tuple[int, str, str]] = []

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    """WebHDFS over a folder, while the block runs."""
    with Server(folder) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        yield server
        server.shutdown()


def status(path: Path, name: str) -> dict[str, Any]:
    found = path.stat()
    kind = "DIRECTORY" if path.is_dir() else "FILE"
    size = 0 if path.is_dir() else found.st_size
    changed = round(found.st_mtime * 1000)
    return {"pathSuffix": name, "type": kind, "length": size, "modificationTime": changed}


def erase(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# The commands


def install(home: Path, folder: Path) -> None:
    """Make home/bin/hadoop and yarn, for an HDFS that is `folder`; home/calls gets their words.

    `hadoop jar` and `yarn` say what lies in home/jar, home/logs and home/application.
    """
    (home / "bin").mkdir(parents=True)
    (home / "hadoop-streaming-0.jar").touch()
    for name in ("hadoop", "yarn"):
        path = home / "bin" / name
        path.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(_PROJECT)!r})\n"
            "from pathlib import Path\nfrom tests.hadoop import standin\n"
            f"standin.run(Path({str(home)!r}), Path({str(folder)!r}), sys.argv[1:])\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


def calls(home: Path) -> list[list[str]]:
    """The words of each call so far."""
    path = home / "calls"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def run(home: Path, folder: Path, words: list[str]) -> None:
    """What the commands do."""
    with (home / "calls").open("a") as out:
        out.write(json.dumps(words) + "\n")
    if words[0] == "version":
        print("Hadoop 3.4.2")
    elif words[0] == "fs":
        shell(
            folder,
            words[1],
            [word for word in words[2:] if not word.startswith("-") or word == "-"],
        )
    else:
        told = home / words[0]
        code, _, text = (told.read_text() if told.exists() else "0\n").partition("\n")
        print(text, file=sys.stderr if words[0] == "jar" else sys.stdout, end="", flush=True)
        time.sleep(float(os.environ.get("STANDIN_SECONDS", "0")) if words[0] == "jar" else 0)
        sys.exit(int(code))


def shell(folder: Path, verb: str, words: list[str]) -> None:
    """`hadoop fs`, as far as the project uses it."""
    paths = [folder / word.removeprefix("hdfs://").lstrip("/") for word in words if word != "-"]
    if verb == "-ls":
        _list(folder, paths[0])
    elif verb == "-cat":
        for path in paths:
            sys.stdout.buffer.write(_there(path).read_bytes())
    elif verb == "-put":
        paths[0].parent.mkdir(parents=True, exist_ok=True)
        paths[0].write_bytes(sys.stdin.buffer.read())
    elif verb == "-mkdir":
        paths[0].mkdir(parents=True, exist_ok=True)
    elif verb == "-mv":
        if paths[1].is_file():
            sys.exit(f"mv: `{paths[1]}': File exists")
        _there(paths[0]).rename(paths[1] / paths[0].name if paths[1].is_dir() else paths[1])
    elif verb == "-rm":
        erase(paths[0])
    elif verb == "-touch":
        os.utime(paths[0])


def _there(path: Path) -> Path:
    return path if path.exists() else sys.exit(f"`{path}': No such file or directory")


def _list(folder: Path, path: Path) -> None:
    for one in sorted(_there(path).rglob("*")):
        mode, found = "d" if one.is_dir() else "-", one.stat()
        size = 0 if one.is_dir() else found.st_size
        moment = time.strftime("%Y-%m-%d %H:%M", time.gmtime(found.st_mtime))
        name = "hdfs:///" + one.relative_to(folder).as_posix()
        print(f"{mode}rw-r--r--   1 me them {size:>10} {moment} {name}")
