"""The code keeps its shape: small modules, thin jobs, short functions, nothing above the driver."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
SOURCES = sorted(
    path for folder in ("layercrawl", "jobs") for path in (PROJECT / folder).rglob("*.py")
)
LIMITS = {"driver.py": 150, "jobs": 80, "layercrawl": 300}


def limit(path: Path) -> int:
    return LIMITS[path.relative_to(PROJECT).parts[0]]


@pytest.mark.parametrize("path", [*SOURCES, PROJECT / "driver.py"], ids=lambda path: path.name)
def test_a_module_is_no_longer_than_its_kind_may_be(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= limit(path)


def functions(path: Path) -> Iterator[int]:
    """Lines of each function's body, docstrings and decorators left out."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            yield (node.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_the_median_function_has_less_than_ten_lines() -> None:
    assert statistics.median(n for path in SOURCES for n in functions(path)) < 10


def test_every_public_module_class_and_function_says_what_it_promises() -> None:
    silent = [
        f"{path.name}: {getattr(node, 'name', 'module')}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef)
        and not getattr(node, "name", "").startswith("_")
        and not ast.get_docstring(node)
    ]
    assert silent == []


def test_nothing_of_the_library_or_the_jobs_imports_the_driver() -> None:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert "driver" not in names, path
