"""Keys of replay tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from layercrawl import urls
from layercrawl.export.surt import surt

CASES = json.loads((Path(__file__).parent / "data" / "surt.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["description"])
def test_keys(case: dict[str, str]) -> None:
    assert surt(urls.normalise(case["url"])) == case["key"]
