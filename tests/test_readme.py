"""The README's promises are run: its commands, its table, its length."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from layercrawl import config
from tests.web import Web, serve

PROJECT = Path(__file__).parents[1]
README = (PROJECT / "README.md").read_text("utf-8")
BLOCKS = [block.split("\n") for block in re.findall(r"```sh\n(.*?)\n```", README, re.S)]
COMMANDS = [line.partition("    #")[0].strip() for block in BLOCKS for line in block]
CRAWL = [command for command in COMMANDS if command.startswith(".venv/bin/") or "crawl/" in command]
OTHERS = [command for command in COMMANDS if command not in CRAWL]
SITE = "https://example.org/"


def test_it_is_short_and_begins_with_the_two_commands() -> None:
    assert len(README.splitlines()) <= 200
    assert COMMANDS[:2] == ["make demo", "make test"]


def test_its_table_is_the_settings() -> None:
    assert config.table() in README


def test_no_command_goes_unrun() -> None:
    assert OTHERS == ["make demo", "make test", "make setup"]


def make(*words: str) -> str:
    ready = Path(sys.prefix) / "ready"
    needs = [PROJECT / "pyproject.toml", PROJECT / "requirements-dev.lock"]
    if not shutil.which("make") or not ready.exists():
        pytest.skip("these tests do not run in an environment that make set up")
    if max(need.stat().st_mtime for need in needs) > ready.stat().st_mtime:
        pytest.skip("make would set up anew the environment that these tests run in")
    environment = {k: v for k, v in os.environ.items() if k != "MAKEFLAGS"}
    done = subprocess.run(
        ["make", *words, f"VENV={sys.prefix}"],
        cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_make_demo_crawls_and_says_where_the_results_lie(tmp_path: Path) -> None:
    said = make("demo", f"DEMO={tmp_path}/demo")
    assert f"The stores lie in {tmp_path}/demo/" in said
    assert re.search(r"demo/xml: \d+ documents", said)


def test_make_test_runs_all_tests_and_make_setup_is_what_it_needs() -> None:
    assert "-m pytest -n" in make("-n", "test")
    make("setup")


@pytest.mark.slow
def test_the_commands_of_a_crawl_of_ones_own_work(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    for name in ("driver.py", "jobs"):
        (tmp_path / name).symlink_to(PROJECT / name)
    with serve(Web(port=0, degree=2)) as web:
        for command in CRAWL:
            command = command.replace(
                SITE, f"--delay=0 {web.seeds[0]}" if "driver.py" in command else web.seeds[0]
            )
            done = subprocess.run(
                command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120,
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
            )  # fmt: skip
            assert done.returncode == 0, (command, done.stderr)
            assert done.stdout or done.stderr or ">" in command
    assert (tmp_path / "outlinks.txt").stat().st_size
