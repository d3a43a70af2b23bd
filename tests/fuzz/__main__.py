"""Fuzz the targets named, or all: each in a process of its own, as long as it is told to."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NoReturn

from tests.fuzz import TARGETS
from tests.fuzz.campaign import Campaign, seeded
from tests.fuzz.mutation import LONGEST

try:
    import atheris
except ImportError:
    atheris = None
_GRACE = 300  # seconds beyond its time after which a target, or one input, hangs
_MEMORY_MB = 2048


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    words.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    words.add_argument("--minutes", type=float, default=20, help="for each target (default: 20)")
    words.add_argument("--jobs", type=int, default=2, help="targets at a time (default: 2)")
    words.add_argument("--found", type=Path, default=Path("fuzz"), help="folder for what fails")
    words.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    given = words.parse_args()
    if unknown := set(given.targets) - set(TARGETS):
        words.error(f"no target {min(unknown)}")
    if given.one:
        fuzz(given.targets[0], given.minutes, given.found)
    with ThreadPoolExecutor(given.jobs) as pool:
        names = given.targets or TARGETS
        return max(pool.map(lambda name: _in_process(name, given.minutes, given.found), names))


def _in_process(name: str, minutes: float, found: Path) -> int:
    """Run one target; exit code 0 when nothing failed."""
    words = ["--one", name, f"--minutes={minutes}", f"--found={found}"]
    found.mkdir(parents=True, exist_ok=True)
    try:
        with (found / f"{name}.log").open("w") as log:
            done = subprocess.run(
                [sys.executable, "-m", "tests.fuzz", *words],
                timeout=minutes * 60 + _GRACE, stderr=log,
                env={**os.environ, "PYTHONIOENCODING": "utf-8:backslashreplace"},
            )  # fmt: skip
    except subprocess.TimeoutExpired:
        print(f"{name}: hangs on {found / name}-current", flush=True)
        return 1
    if reached := re.findall(r" cov: (\d+)", (found / f"{name}.log").read_text()):
        print(f"{name}: {reached[-1]} places of layercrawl reached", flush=True)
    if done.returncode not in (0, 1):
        print(f"{name}: died by {done.returncode}, see {found / name}.log", flush=True)
    return min(abs(done.returncode), 1)


def fuzz(name: str, minutes: float, found: Path) -> NoReturn:
    """Fuzz one target in this process, which ends with 0 when nothing failed, 1 otherwise."""
    module = _instrumented(f"tests.fuzz.{name}")
    if reason := module.SKIPPED:
        print(f"{name}: skipped, {reason}", flush=True)
        os._exit(0)
    campaign = Campaign(name, module.target, found)

    def attempt(data: bytes) -> None:
        campaign.attempt(data)
        if campaign.minutes() > minutes:
            end()

    def end() -> NoReturn:
        print(campaign.report(), "by Atheris" if atheris else "without Atheris", flush=True)
        os._exit(bool(campaign.failures))

    if atheris:
        _by_atheris(module, attempt, found)
    seeded(campaign, module.seeds(), module.TOKENS, Random(), lambda: campaign.minutes() <= minutes)
    end()


def _instrumented(name: str) -> ModuleType:
    if atheris is None:
        return importlib.import_module(name)
    with atheris.instrument_imports(include=["layercrawl"]):
        return importlib.import_module(name)


def _by_atheris(module: ModuleType, attempt: Any, found: Path) -> None:
    """Let libFuzzer make the inputs; it learns from what they reach."""
    with TemporaryDirectory() as made:
        corpus, tokens = Path(made, "corpus"), Path(made, "tokens")
        corpus.mkdir()
        for number, seed in enumerate(module.seeds()):
            (corpus / f"seed-{number}").write_bytes(seed)
        tokens.write_text("".join(f'"{_escaped(token)}"\n' for token in module.TOKENS))
        options = [f"-max_len={LONGEST}", f"-rss_limit_mb={_MEMORY_MB}", f"-timeout={_GRACE}"]
        options += [f"-dict={tokens}", f"-artifact_prefix={found}/", "-len_control=20"]
        atheris.Setup([sys.argv[0], *options, str(corpus)], attempt)
        atheris.Fuzz()


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{octet:02x}" for octet in token)


if __name__ == "__main__":
    sys.exit(main())
