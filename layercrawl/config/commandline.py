"""The settings as options of a command line."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field
from typing import Any, get_args

from layercrawl.config.options import called, default_of, flag


def add_options(
    add: Callable[..., Any], fields: Iterable[Field[Any]], hints: Mapping[str, Any]
) -> None:
    """Declare an option per field by `add`, which takes what argparse's add_argument takes."""
    for spec in fields:
        if spec.name == "seed_urls":
            add(spec.name, nargs="*", metavar=spec.metadata["metavar"], help=spec.metadata["help"])
        else:
            short = [spec.metadata["short"]] if "short" in spec.metadata else []
            shape = _shape(spec, hints[spec.name])
            add(flag(spec.name), *short, dest=spec.name, default=argparse.SUPPRESS, **shape)


def _shape(spec: Field[Any], hint: Any) -> dict[str, Any]:
    shape: dict[str, Any] = {"help": _help(spec)}
    if spec.default is False:
        return shape | {"action": "store_true"}
    if isinstance(spec.default, tuple) and not spec.metadata.get("commas"):
        shape["action"] = "append"
    shape["metavar"] = spec.metadata.get("metavar") or "|".join(get_args(hint))
    return shape


def _help(spec: Field[Any]) -> str:
    default = default_of(spec)
    return f"{spec.metadata['help']}{default and f' ({default})'}".replace("%", "%%")


def unknown(word: str, flags: Iterable[str]) -> str:
    """What is wrong with a word that is none of the options `flags`.

    >>> unknown("--dept=2", ["--depth", "--delay"])
    "unknown option '--dept'; did you mean '--depth'?"
    >>> unknown("-x", ["--depth", "--delay"])
    "unknown option '-x'; --help lists all"
    """
    name = word.partition("=")[0]
    close = difflib.get_close_matches(name, list(flags), 1)
    cure = f"did you mean {close[0]!r}?" if close else "--help lists all"
    return f"unknown option {name!r}; {cure}"


def parser(
    fields: Sequence[Field[Any]], hints: Mapping[str, Any], version: str
) -> argparse.ArgumentParser:
    """The command line's parser, one group of options per group of settings."""
    result = argparse.ArgumentParser(
        prog="driver.py", description="Crawl from the seeds to a link depth, layer by layer.",
        epilog="Run it again to go on where it stopped. Exit codes: 0 finished, 1 a job failed,"
        " 2 bad use, 3 nothing was fetched, 130 interrupted.", allow_abbrev=False,
    )  # fmt: skip
    result.add_argument("--version", action="version", version=f"layercrawl {version}")
    for group in dict.fromkeys(spec.metadata["group"] for spec in fields):
        section = result.add_argument_group(group)
        mine = [spec for spec in fields if spec.metadata["group"] == group]
        add_options(section.add_argument, mine, hints)
    return result


def table(fields: Iterable[Field[Any]]) -> str:
    """Settings as a Markdown table."""
    rows = ["| option | meaning | default |", "|---|---|---|"]
    for spec in fields:
        default = default_of(spec).removeprefix("default: ")
        rows.append(f"| `{called(spec.name)}` | {spec.metadata['help']} | {default} |")
    return "\n".join(rows)


def words(spec: Field[Any], value: Any) -> list[str]:
    """What gives an option this value on a command line: nothing where that is the default."""
    if value == spec.default:
        return []
    if spec.metadata.get("commas"):
        return [f"{flag(spec.name)}={','.join(value)}"]
    values = value if isinstance(value, tuple) else (value,)
    return [flag(spec.name) if v is True else f"{flag(spec.name)}={v}" for v in values]
