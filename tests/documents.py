"""What every document of the store xml/ has to be."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.parsers import expat

from lxml import etree

SCHEMA = Path(__file__).parents[1] / "schema" / "page.rng"


def parsed(xml: str) -> etree._Element:
    """The tree by libxml2 with its usual limits; expat and the schema have to accept it, too."""
    source = xml.encode("utf-8")
    expat.ParserCreate(namespace_separator=" ").Parse(source, True)
    root = etree.fromstring(source)
    schema().assertValid(root)
    return root


@cache
def schema() -> etree.RelaxNG:
    return etree.RelaxNG(etree.parse(SCHEMA))
