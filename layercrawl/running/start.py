"""What is looked at before a run touches anything: settings, seeds, and the root's past."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import shorten
from urllib.request import getproxies_environment

from layercrawl import config, seeds, stores
from layercrawl.config import BadConfig, Config, options
from layercrawl.hdfs import shell
from layercrawl.ordering import ORDERS
from layercrawl.relevance import Topic
from layercrawl.rules import Rules
from layercrawl.stores import Folder, Stores

LONGEST_TOPIC = 40_000
"""Bytes; more does not fit into the command of a task."""
_FILE = re.compile(r"\S*[./]\S*")


@dataclass(frozen=True)
class Seeds:
    """The seeds of a run: all their `urls`, the `lines` that are new, and the bad lines."""

    urls: list[str]
    lines: list[str]
    complaints: list[str]


def check(settings: Config) -> None:
    """Raise BadConfig for settings that cannot work together or name what is not there."""
    if settings.order not in ORDERS:
        raise BadConfig(f"--order {settings.order!r}: choose one of {', '.join(ORDERS)}")
    _check_topic(settings)
    if (settings.runs_on == "hadoop") != stores.on_hdfs(settings.root):
        where = "--root hdfs://…" if settings.runs_on == "hadoop" else "a folder for --root"
        raise BadConfig(f"--runner {settings.runs_on} needs {where}, not {settings.root}")
    if settings.runs_on == "hadoop":
        _check_hadoop(settings)
    else:
        _check_proxies()
    try:
        Rules(settings.scope, frozenset(), settings.include, settings.exclude, settings.drop_params)
    except ValueError as error:
        raise BadConfig(f"--{error}") from None


def _check_topic(settings: Config) -> None:
    needed = ORDERS[settings.order].needs_topic
    if needed and not settings.topic:
        raise BadConfig(f"--order {settings.order} needs --topic: give words, or a file of texts")
    if settings.topic and not needed:
        raise BadConfig(f"--topic is for --order best-first, not {settings.order}: leave it out")


def with_topic(settings: Config) -> Config:
    """The settings with the topic's text in place of its file's name.

    A word with `.` or `/` in it names a file, as does anything that a file is called.

    Raises BadConfig for a file that cannot be read, and for a text that has no words or too many.
    """
    if not settings.topic:
        return settings
    text = _topic_text(settings.topic)
    try:
        Topic(text)
    except ValueError as error:
        raise BadConfig(f"--topic {_shown(settings.topic)}: {error}; give some words") from None
    if len(text.encode()) > LONGEST_TOPIC:
        raise BadConfig(
            f"--topic {_shown(settings.topic)} has {len(text.encode())} bytes:"
            f" give {LONGEST_TOPIC} at most, of the documents that tell it best"
        )
    return replace(settings, topic=text)


def _topic_text(given: str) -> str:
    """The text of a topic, from its first word on, so that no job takes it for an option."""
    try:
        if _FILE.fullmatch(given) or Path(given).is_file():
            given = Path(given).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8"
        cure = "name a readable text file, or give words with blanks between"
        raise BadConfig(f"--topic {_shown(given)}: {why}; {cure}") from None
    return re.sub(r"^[\W_]+", "", given).rstrip()


def _check_hadoop(settings: Config) -> None:
    try:
        shell.command()
    except FileNotFoundError as error:
        raise BadConfig(error.strerror) from None
    if settings.mrjob_conf and not Path(settings.mrjob_conf).is_file():
        raise BadConfig(f"--mrjob-conf {settings.mrjob_conf}: no such file; name one of mrjob's")


def _check_proxies() -> None:
    """The proxies of this machine's environment must be those that can be asked."""
    for scheme, proxy in getproxies_environment().items():
        kind = proxy.partition("://")[0].lower() if "://" in proxy else "http"
        if scheme in ("http", "https", "all") and kind not in ("http", "https"):
            cure = "name an HTTP proxy, http://HOST:PORT, or unset it"
            raise BadConfig(f"{scheme}_proxy names a proxy of kind {kind}: {cure}")


def advice(settings: Config) -> str:
    """What a good crawler should not leave out; nothing where all is there."""
    if settings.contact or "@" in settings.user_agent or "http" in settings.user_agent.lower():
        return ""
    return "no --contact: sites cannot tell whom to write to; give a URL or a mail address"


def read_seeds(settings: Config, crawl: Stores) -> Seeds:
    """The seeds of the command line, of --seeds, and of `in/seeds/`.

    Raises BadConfig for a bad seed on the command line, an unreadable file, or no seed at all; a
    bad line of a file is a complaint with file and line.
    """
    given, bad = seeds.read(settings.seed_urls)
    if bad:
        number, why = bad[0]
        raise BadConfig(f"seed {settings.seed_urls[number - 1]!r}: {why}; write http://HOST/PATH")
    named, complaints = _of_file(Path(settings.seeds)) if settings.seeds else ([], [])
    known: list[str] = []
    for path in stores.files(crawl.seeds, "[!.]*"):  # what the jobs' glob of this folder reads
        urls, wrong = _of_file(path)
        known += urls
        complaints += wrong
    if not (given or named or known):
        raise BadConfig("no seeds: name a URL, or a file of URLs by --seeds FILE")
    new = sorted({*given, *named} - {*known})
    return Seeds([*known, *new], new, complaints)


def _of_file(path: Folder) -> tuple[list[str], list[str]]:
    try:
        lines = path.read_bytes().split(b"\n")  # as the jobs cut it: at LF and nowhere else
    except OSError as error:
        raise BadConfig(f"seeds {path}: {error.strerror}; name a readable text file") from None
    urls, bad = seeds.read(line.decode(errors="replace") for line in lines)
    return urls, [f"{path}:{number}: {why}" for number, why in bad]


def check_root(settings: Config, crawl: Stores) -> None:
    """Raise BadConfig for a setting that would give the root's known URLs another meaning."""
    first = crawl.layer("in", 0)
    if not (stores.complete(first) and stores.complete(crawl.layer("doc", 0))):
        return
    before = stores.marker(first).settings
    for spec in (spec for spec in config.FIELDS if spec.metadata.get("fixed")):
        past = config.make({spec.name: before.get(spec.name, spec.default)})
        was, value = getattr(past, spec.name), getattr(settings, spec.name)
        if value != was:
            raise BadConfig(
                f"{options.flag(spec.name)} {_shown(value)} cannot be set within a crawl:"
                f" {crawl.root} was made with {_shown(was)}; keep that, or take another --root"
            )


def _shown(value: str | tuple[str, ...]) -> str:
    text = value if isinstance(value, str) else ",".join(value)
    return shorten(text, 60, placeholder=" …") or "none"
