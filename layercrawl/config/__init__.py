"""Every setting of a crawl: one frozen dataclass, from which all else is derived.

The command line, the TOML file, the jobs' arguments, the settings recorded in a stage's marker and
the README's table all come from the fields of `Config`. Command line beats TOML file beats default.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

import msgspec

from layercrawl.config import commandline, tomlfile
from layercrawl.config.checks import complaints, masked_header
from layercrawl.config.options import (
    Count,
    Limit,
    Nearness,
    Percent,
    Positive,
    Runner,
    Scope,
    Seconds,
    called,
    flag,
    option,
    wanted,
)

VERSION = "0.1.0"


class BadConfig(ValueError):
    """A setting that cannot be used; the message names the option and the cure."""


@dataclass(frozen=True)
class Config:
    """The settings of one run, checked; a field's name with dashes is its option's name."""

    depth: Count = option(
        3, "link distance from the seeds to crawl to", group="crawl", metavar="N",
        stages="optimizer fold", required=True,
    )  # fmt: skip
    seed_urls: tuple[str, ...] = option(
        (), "where the crawl starts", group="crawl", metavar="SEED_URL"
    )
    seeds: str = option("", "file of seeds, one URL a line", group="crawl", metavar="FILE")
    root: str = option(
        "crawl", "folder or hdfs:// URL that holds the stores", group="crawl", metavar="PATH"
    )
    runner: Runner = option(
        "auto", "where the jobs run; auto: hadoop for an hdfs:// root, else local", group="crawl"
    )
    config: str = option("", "TOML file with these settings", group="crawl", metavar="FILE")
    verbose: bool = option(False, "show each stage's counters", group="crawl", short="-v")
    quiet: bool = option(False, "print errors only", group="crawl")
    dry_run: bool = option(False, "say what would run, touch nothing", group="crawl")

    scope: Scope = option(
        "site", "follow links within the seeds' hosts or sites, or to any",
        group="which", stages="crawler parser optimizer",
    )  # fmt: skip
    include: tuple[str, ...] = option(
        (), "follow only URLs that match", group="which", metavar="RE",
        stages="crawler parser optimizer",
    )  # fmt: skip
    exclude: tuple[str, ...] = option(
        (), "never follow URLs that match", group="which", metavar="RE",
        stages="crawler parser optimizer",
    )  # fmt: skip
    drop_params: tuple[str, ...] = option(
        (), "query parameters to leave out of URLs, commas between", group="which",
        metavar="NAMES", stages="crawler parser optimizer fold", fixed=True, commas=True,
    )  # fmt: skip
    nofollow_rels: tuple[str, ...] = option(
        ("nofollow",), "links of these rel words are not followed, commas between", group="which",
        metavar="NAMES", stages="parser", commas=True,
    )  # fmt: skip
    sitemaps: bool = option(
        False, "read the sitemaps that robots.txt names", group="which",
        stages="optimizer fold",
    )  # fmt: skip
    max_pages: Count = option(0, "stop at N pages; 0: no limit", group="which", metavar="N")
    max_minutes: Seconds = option(0.0, "stop after M minutes; 0: never", group="which", metavar="M")

    order: str = option(
        "breadth-first", "which page next, by which order (see below)", group="order",
        metavar="NAME", stages="optimizer fold", fixed=True,
    )  # fmt: skip
    topic: str = option(
        "", "what best-first looks for: words, or a file of texts", group="order",
        metavar="FILE_OR_TEXT", stages="parser optimizer", fixed=True,
    )  # fmt: skip
    rank_memory: Positive = option(
        1000, "MB for ranks of all pages", group="order", metavar="MB", stages="optimizer"
    )
    budget: Count = option(
        0, "pages per layer, best first; 0: all of the least depth", group="order",
        metavar="PAGES", stages="optimizer",
    )  # fmt: skip
    fair: Percent = option(
        0, "percent of each layer for those that waited longest, with --budget", group="order",
        metavar="PERCENT", stages="optimizer",
    )  # fmt: skip
    max_per_host: Count = option(
        0, "pages per host and layer; 0: no limit", group="order", metavar="N", stages="optimizer"
    )
    max_host_pages: Count = option(
        0, "pages per host in all; 0: no limit", group="order", metavar="N", stages="optimizer"
    )
    max_per_pattern: Count = option(
        0, "pages per host and pattern of URLs; 0: no limit", group="order", metavar="N",
        stages="optimizer",
    )  # fmt: skip
    max_alike: Count = option(
        100, "by how many near-equal pages may outnumber others; 0: by any", group="order",
        metavar="N", stages="optimizer",
    )  # fmt: skip

    delay: Seconds = option(
        1.0, "seconds between two requests to one host", group="manners", metavar="S",
        stages="crawler optimizer",
    )  # fmt: skip
    layer_minutes: Limit = option(
        60.0, "longest time for one layer's fetching", group="manners", metavar="M",
        stages="crawler optimizer",
    )  # fmt: skip
    threads: Positive = option(
        16, "requests at a time in each task, slow ones aside", group="manners", metavar="N",
        stages="crawler",
    )  # fmt: skip
    max_per_site: Count = option(
        0, "hosts of one site (registrable domain) at a time; 0: no limit", group="manners",
        metavar="N", stages="crawler",
    )  # fmt: skip
    max_per_address: Count = option(
        0, "hosts of one IP address at a time in each fetching task; 0: no limit",
        group="manners", metavar="N", stages="crawler",
    )  # fmt: skip
    retries: Count = option(
        2, "further tries for a passing failure within a layer", group="manners", metavar="N",
        stages="crawler",
    )  # fmt: skip
    user_agent: str = option(
        f"layercrawl/{VERSION}", "how the crawler names itself", group="manners", metavar="TEXT",
        stages="crawler parser",
    )  # fmt: skip
    contact: str = option(
        "", "URL or mail address shown to site owners", group="manners", metavar="URL_OR_MAIL",
        stages="crawler",
    )  # fmt: skip

    timeout: Limit = option(
        30.0, "longest time for one answer, from connect to last byte", group="fetch",
        metavar="S", stages="crawler",
    )  # fmt: skip
    max_bytes: Positive = option(
        5_000_000, "longest body kept; the rest is cut off", group="fetch", metavar="N",
        stages="crawler",
    )  # fmt: skip
    header: tuple[str, ...] = option(
        (), "further request header, for the seeds' hosts only, or 'https://HOST N: V' for one",
        group="fetch", metavar="'N: V'", stages="crawler",
    )  # fmt: skip
    cookies: tuple[str, ...] = option(
        (), "host whose cookies are kept within a layer and sent back to it", group="fetch",
        metavar="HOST", stages="crawler",
    )  # fmt: skip
    insecure: bool = option(False, "accept bad TLS certificates", group="fetch", stages="crawler")
    allow_private: bool = option(
        False, "connect to private and loopback addresses", group="fetch", stages="crawler"
    )

    recrawl: bool = option(
        False, "ask again for pages whose time has come", group="again", stages="optimizer"
    )
    head_check: bool = option(
        False, "ask by HEAD first where a server gives no validators, with --recrawl",
        group="again", stages="optimizer",
    )  # fmt: skip

    near_duplicates: Nearness = option(
        "3", "bits by which Simhashes propose near pages; off: only equal bytes join",
        group="after", metavar="BITS|off", stages="merge",
    )  # fmt: skip

    define: tuple[str, ...] = option(
        (), "setting of Hadoop for all jobs", group="cluster", metavar="NAME=VALUE", short="-D"
    )
    queue: str = option("", "YARN's queue for the jobs", group="cluster", metavar="NAME")
    python_bin: str = option(
        "", "the nodes' Python, with layercrawl's packages; else python3, and they are sent",
        group="cluster", metavar="PATH",
    )  # fmt: skip
    mrjob_conf: str = option(
        "", "configuration file of mrjob", group="cluster", metavar="FILE", short="-c"
    )

    def __post_init__(self) -> None:
        for complaint in complaints(self):
            raise BadConfig(complaint)

    @property
    def runs_on(self) -> str:
        """The runner that is meant: inline, local or hadoop."""
        on_hdfs = self.root.startswith("hdfs://")
        return self.runner if self.runner != "auto" else "hadoop" if on_hdfs else "local"

    @property
    def agent(self) -> str:
        """The User-Agent header's value."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent

    def settings(self, stage: str) -> dict[str, Any]:
        """What `stage` is given, by field name."""
        return {f.name: getattr(self, f.name) for f in stage_fields(stage)}

    def recorded(self, stage: str) -> dict[str, Any]:
        """The same for a marker: without the values of headers, which may let somebody in."""
        masked = {"header": tuple(map(masked_header, self.header))}
        return {name: masked.get(name, value) for name, value in self.settings(stage).items()}

    def arguments(self, stage: str) -> list[str]:
        """The options that make a job of `stage` work with these settings."""
        given = (commandline.words(f, getattr(self, f.name)) for f in stage_fields(stage))
        return [word for words in given for word in words]


FIELDS = dataclasses.fields(Config)
_HINTS = get_type_hints(Config, include_extras=True)
_COMMAS = {f.name for f in FIELDS if f.metadata.get("commas")}


def stage_fields(stage: str) -> list[dataclasses.Field[Any]]:
    """The fields that a stage's job takes as options."""
    return [f for f in FIELDS if stage in f.metadata["stages"]]


def add_options(add: Callable[..., Any], fields: Iterable[dataclasses.Field[Any]]) -> None:
    """Declare an option per field by `add`, which takes what argparse's add_argument takes."""
    commandline.add_options(add, fields, _HINTS)


def parser() -> argparse.ArgumentParser:
    """The command line's parser, one group of options per group of settings."""
    return commandline.parser(FIELDS, _HINTS, VERSION)


def load(argv: Sequence[str]) -> Config:
    """The settings of a command line and of the TOML file that it names.

    Raises BadConfig; argparse itself ends the process with 2 where the words are off.
    """
    words, unknown = parser().parse_known_intermixed_args(argv)  # seeds may stand between options
    if unknown:
        raise BadConfig(commandline.unknown(unknown[0], map(flag, _HINTS)))
    given = {name: value for name, value in vars(words).items() if value not in ([], None)}
    merged = _from_file(given["config"]) | given if "config" in given else given
    if "depth" not in merged:
        raise BadConfig("--depth N is needed: the link distance to crawl to, say --depth 2")
    return make(merged)


def make(values: dict[str, Any]) -> Config:
    """A Config of loosely typed values, by fields' names; BadConfig says what is off."""
    return Config(**{name: _convert(name, value) for name, value in values.items()})


def _convert(name: str, value: Any) -> Any:
    hint = _HINTS[name]
    listed = [value] if hint == tuple[str, ...] and isinstance(value, str) else value
    try:
        right = msgspec.convert(listed, hint, strict=False)
    except msgspec.ValidationError:
        raise BadConfig(f"{called(name)} {value!r} is not {wanted(hint)}") from None
    if right == "--" or isinstance(right, tuple) and "--" in right:
        raise BadConfig(f"{called(name)} cannot be '--', which argparse leaves out")
    return _names(right) if name in _COMMAS else right


def _names(values: Iterable[str]) -> tuple[str, ...]:
    """The names that commas separate, once each in one order: they mean a set."""
    return tuple(sorted({name.strip() for value in values for name in value.split(",")} - {""}))


def _from_file(path: str) -> dict[str, Any]:
    try:
        return tomlfile.read(path, _HINTS)
    except ValueError as error:
        raise BadConfig(str(error)) from None


def table() -> str:
    """The settings as a Markdown table, for the README."""
    return commandline.table(FIELDS)
