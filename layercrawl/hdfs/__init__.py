"""Paths on HDFS, with what the stores need of `pathlib.Path` and by the same names."""

from __future__ import annotations

import gzip
import posixpath
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from layercrawl.hdfs import sites
from layercrawl.hdfs.client import Client
from layercrawl.hdfs.shell import Shell
from layercrawl.hdfs.webhdfs import WebHdfs


class HdfsPath:
    """A path of `hdfs://AUTHORITY`, asked for by one client."""

    def __init__(self, client: Client, authority: str, path: str) -> None:
        self.client, self._authority = client, authority
        self.path = posixpath.normpath(path)

    def __str__(self) -> str:
        return f"hdfs://{self._authority}{self.path}"

    def __repr__(self) -> str:
        return f"HdfsPath('{self}')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HdfsPath) and str(self) == str(other)

    def __lt__(self, other: HdfsPath) -> bool:
        return str(self) < str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __truediv__(self, name: str) -> HdfsPath:
        return HdfsPath(self.client, self._authority, posixpath.join(self.path, name))

    @property
    def name(self) -> str:
        return posixpath.basename(self.path)

    @property
    def parent(self) -> HdfsPath:
        return HdfsPath(self.client, self._authority, posixpath.dirname(self.path))

    def with_name(self, name: str) -> HdfsPath:
        return self.parent / name

    def exists(self) -> bool:
        return self.client.entry(self.path) is not None

    def is_file(self) -> bool:
        found = self.client.entry(self.path)
        return found is not None and not found.folder

    def glob(self, pattern: str) -> Iterator[HdfsPath]:
        """What matches, folder by folder; a pattern that ends in a slash means folders."""
        first, _, rest = pattern.partition("/")
        for entry in self.client.entries(self.path):
            if fnmatchcase(entry.name, first) and (entry.folder or "/" not in pattern):
                yield from (self / entry.name).glob(rest) if rest else [self / entry.name]

    def mkdir(self, parents: bool = True, exist_ok: bool = True) -> None:
        self.client.make(self.path)

    def open(self, mode: str = "rb") -> BinaryIO:
        """The file to read; what Hadoop packed by gzip is unpacked."""
        opened = self.client.open(self.path)
        return cast(BinaryIO, gzip.open(opened)) if self.name.endswith(".gz") else opened

    def read_bytes(self) -> bytes:
        return self.client.read(self.path)

    def read_text(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self.read_bytes().decode(encoding, errors)

    def write_bytes(self, content: bytes) -> None:
        self.client.write(self.path, content)

    def write_text(self, text: str, encoding: str = "utf-8", errors: str = "strict") -> None:
        self.write_bytes(text.encode(encoding, errors))

    def rename(self, target: Any) -> None:
        """Rename at one blow; FileExistsError where something has the name."""
        self.client.move(self.path, target.path)

    def remove(self) -> None:
        """Remove a file, or a folder with all that is in it."""
        self.client.remove(self.path)


def connect(uri: str) -> HdfsPath:
    """The path that `hdfs://HOST:PORT/PATH` names, or `hdfs:///PATH` on the default HDFS.

    It is reached by WebHDFS where a NameNode answers that, else by the `hadoop` command;
    FileNotFoundError where that is not there either.
    """
    parts = urlsplit(uri)
    web = WebHdfs(sites.namenodes(parts.netloc, sites.settings()))
    if web.answers():
        return HdfsPath(web, parts.netloc, parts.path)
    client = Shell(parts.netloc, posixpath.normpath(parts.path))
    return HdfsPath(client, parts.netloc, parts.path)
