"""What one setting may be: the kinds of its value, and what else is known of it."""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, Any, Literal

import msgspec

# The upper bounds are what 32 bits and the clocks of all libraries can hold.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1, description="a whole number from 0")]
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1, description="a whole number from 1")]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9, description="a number from 0 to 1e9")]
Limit = Annotated[float, msgspec.Meta(gt=0, le=1e9, description="a number above 0, at most 1e9")]
Scope = Literal["host", "site", "any"]
Runner = Literal["inline", "local"]


def option(default: Any, help: str, *, group: str, stages: str = "", **extra: Any) -> Any:
    """A field of Config: its default, its help, and the stages (jobs) that it is passed to."""
    metadata = {"help": help, "group": group, "stages": stages.split(), **extra}
    return field(default=default, metadata=metadata)


def flag(name: str) -> str:
    """The option of a field.

    >>> flag("max_bytes")
    '--max-bytes'
    """
    return "--" + name.replace("_", "-")
