"""Each fault that real crawlers had is answered by a test here, or does not apply for a reason.

`known_faults.json` lists them: id, what is right, and the tests that show it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CASES = HERE.parents[1] / "shared" / "cases"
AREAS = {
    "redirects", "robots", "http-body", "politeness-retry", "meta-directives", "traps",
    "seen-filter", "link-extraction", "url-normalisation", "encoding", "sitemaps",
    "near-duplicates", "html-to-xml", "records-hadoop",
}  # fmt: skip
FAULTS: list[dict[str, Any]] = json.loads((HERE / "known_faults.json").read_text("utf-8"))


def answering(fault: dict[str, Any]) -> list[str]:
    tests = fault.get("test", [])
    return [tests] if isinstance(tests, str) else tests


@pytest.fixture(scope="module")
def collected() -> set[str]:
    """The ids of all tests in the files that are named."""
    files = sorted({test.partition("::")[0] for fault in FAULTS for test in answering(fault)})
    words = ["--collect-only", "-q", "-o", "addopts=", "-p", "no:cacheprovider", *files]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=HERE.parent, capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return set(found.stdout.splitlines())


def test_every_test_that_is_named_exists(collected: set[str]) -> None:
    named = {test for fault in FAULTS for test in answering(fault)}
    assert named - collected == set()


def test_a_fault_has_a_test_or_a_reason_and_stands_once() -> None:
    assert [f["id"] for f in FAULTS if bool(answering(f)) == bool(f.get("not"))] == []
    assert [f["id"] for f in FAULTS if not f["description"]] == []
    assert len({fault["id"] for fault in FAULTS}) == len(FAULTS)


def test_what_does_not_apply_is_rare() -> None:
    assert sum("not" in fault for fault in FAULTS) <= len(FAULTS) // 20


def known() -> set[str]:
    bugs = json.loads((CASES / "bugs.json").read_text("utf-8"))
    answers = json.loads((CASES / "robots_http.json").read_text("utf-8"))
    places = range(1, len(answers["robots_url"]) + 1)
    return (
        {bug["id"] for bug in bugs if bug["area"] in AREAS}
        | {case["id"] for case in answers["cases"]}
        | {f"robots-url-{place}" for place in places}
    )


@pytest.mark.skipif(not CASES.is_dir(), reason="no list of known faults beside the project")
def test_every_known_fault_is_listed() -> None:
    assert known() - {fault["id"] for fault in FAULTS} == set()
