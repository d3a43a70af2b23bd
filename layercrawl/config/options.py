"""What one setting may be: the kinds of its value, and what else is known of it."""

from __future__ import annotations

from dataclasses import Field, field
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec

# The upper bounds are what 32 bits and the clocks of all libraries can hold.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1, description="a whole number from 0")]
Positive = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1, description="a whole number from 1")]
Percent = Annotated[int, msgspec.Meta(ge=0, le=100, description="a whole number from 0 to 100")]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e9, description="a number from 0 to 1e9")]
Limit = Annotated[float, msgspec.Meta(gt=0, le=1e9, description="a number above 0, at most 1e9")]
Scope = Literal["host", "site", "any"]
Nearness = Literal["off", "0", "1", "2", "3", "4", "5", "6"]
Runner = Literal["auto", "inline", "local", "hadoop"]


def option(default: Any, help: str, *, group: str, stages: str = "", **extra: Any) -> Any:
    """A field of Config: its default, its help, and the stages (jobs) that it is passed to."""
    metadata = {"help": help, "group": group, "stages": stages.split(), **extra}
    return field(default=default, metadata=metadata)


def bits(value: Nearness) -> int | None:
    """In how many bits near pages may differ; None where they are not joined.

    >>> bits("3"), bits("off")
    (3, None)
    """
    return None if value == "off" else int(value)


def flag(name: str) -> str:
    """The option of a field.

    >>> flag("max_bytes")
    '--max-bytes'
    """
    return "--" + name.replace("_", "-")


def called(name: str) -> str:
    """How a field's option stands on the command line."""
    return "SEED_URL" if name == "seed_urls" else flag(name)


def default_of(spec: Field[Any]) -> str:
    """How help and README put a field's default; empty where it says nothing."""
    if spec.metadata.get("required"):
        return "required"
    default: Any = spec.default
    shown = ",".join(default) if isinstance(default, tuple) else default
    return "" if shown in ("", False) else f"default: {shown}"


def wanted(hint: Any) -> str:
    """What a value of this type is, as an error says it.

    >>> wanted(Count), wanted(Scope), wanted(bool)
    ('a whole number from 0', 'one of host, site, any', 'true or false')
    """
    if get_origin(hint) is Literal:
        return f"one of {', '.join(get_args(hint))}"
    if get_origin(hint) is Annotated:
        return str(hint.__metadata__[0].description)
    return {str: "text", bool: "true or false"}.get(hint, "a list of texts")
