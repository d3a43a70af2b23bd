"""Settings from a TOML file."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any


def read(path: str, known: Collection[str]) -> dict[str, Any]:
    """The settings that a file gives, by name; `-` in a name is `_`.

    Raises ValueError for what is not readable, not TOML, or not among the `known` names.
    """
    try:
        values = tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"--config {path}: {error.strerror}; name a TOML file") from None
    except ValueError as error:  # not UTF-8, or not TOML
        raise ValueError(f"--config {path} is not TOML: {error}") from None
    values = {name.replace("-", "_"): value for name, value in values.items()}
    for name in values.keys() - set(known):
        close = difflib.get_close_matches(name, known, 1)
        meant = f"did you mean {_spelt(close[0])!r}?" if close else "--help lists all"
        raise ValueError(f"unknown setting {_spelt(name)!r} in the --config file; {meant}")
    return values


def _spelt(name: str) -> str:
    return name.replace("_", "-")
