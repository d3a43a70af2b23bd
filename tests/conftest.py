"""What all tests share: the demo web; and where they gate, the same examples every time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.web import Web, serve

settings.register_profile("gate", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("gate")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The access log of the module's web."""
    return tmp_path_factory.mktemp("web") / "access.log"


@pytest.fixture(scope="module")
def web(log: Path) -> Iterator[Web]:
    """The whole demo web; a module that needs another one makes its own."""
    with serve(Web(port=0), log=log) as served:
        yield served


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs a real cluster can be chosen, or left out, by `-m cluster`."""
    for item in items:
        folder = item.path.parent.name
        if folder == "docker" or folder == "hadoop" and item.get_closest_marker("slow"):
            item.add_marker("cluster")
