"""Each fuzz target, briefly and always with the same inputs; and that a fault would be found."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import TARGETS, trial
from tests.fuzz.campaign import Campaign, seeded
from tests.fuzz.mutation import LONGEST, mutate

PROJECT = Path(__file__).parents[1]
INPUTS = {"robots": 200, "sitemaps": 200, "pages": 80, "answers": 120, "urls": 400}


@pytest.mark.parametrize("name", TARGETS)
def test_nothing_that_is_promised_breaks(name: str, tmp_path: Path) -> None:
    module = importlib.import_module(f"tests.fuzz.{name}")
    if module.SKIPPED:
        pytest.skip(module.SKIPPED)
    campaign, seeds = Campaign(name, module.target, tmp_path), module.seeds()
    most = len(seeds) + INPUTS[name]
    seeded(campaign, seeds, module.TOKENS, Random(1), lambda: campaign.executions < most)
    assert len(seeds) > 4 and campaign.executions == most
    assert campaign.failures == {}


def test_a_failure_is_kept_in_a_file_once_a_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def target(data: bytes) -> None:
        assert b"<x>" not in data

    campaign = Campaign("some", target, tmp_path)
    seeded(campaign, [b"abc"], [b"<x>"], Random(1), lambda: campaign.executions < 300)
    assert len(campaign.failures) == 1
    said = campaign.report()
    assert said.startswith("some: 300 executions in 0.0 minutes, 1 different failures")
    assert "AssertionError" in capsys.readouterr().out
    (found,) = tmp_path.glob("some-[0-9a-f]*")
    assert b"<x>" in found.read_bytes()


def test_an_input_that_hangs_is_left_behind(tmp_path: Path) -> None:
    seen = []
    campaign = Campaign("some", lambda _: seen.append(left.read_bytes()), tmp_path)
    left = tmp_path / "some-current"
    for data in (b"longer", b"short"):
        campaign.attempt(data)
    assert {b"longer", b"short"} <= set(seen)


class Clock:
    """The thread's clock, which only `spend` moves."""

    now = 0.0

    def thread_time(self) -> float:
        return self.now

    def spend(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    hand = Clock()
    monkeypatch.setattr(trial, "time", hand)
    return hand


SHORT_INPUTS = [b"<" * length for length in range(1, 100)]


def test_what_grows_faster_than_its_input_is_a_failure(clock: Clock) -> None:
    with pytest.raises(trial.Broken, match="take 0.20 s, 3.22 s, 51.54 s"):
        for data in SHORT_INPUTS:
            trial.attempt(lambda data: clock.spend(3e-9 * len(data) ** 2), data)


def test_what_grows_as_its_input_does_is_none(clock: Clock) -> None:
    for data in SHORT_INPUTS:
        assert trial.attempt(lambda data: clock.spend(2e-5 * len(data)), data) > 0


def test_a_jump_in_what_inputs_cost_is_none(clock: Clock) -> None:
    for data in SHORT_INPUTS:
        trial.attempt(
            lambda data: clock.spend(2e-5 * len(data) * (10 if len(data) > 9000 else 1)), data
        )


def test_what_takes_too_long_is_a_failure(clock: Clock) -> None:
    trial.attempt(lambda data: clock.spend(0.9), b"x")
    with pytest.raises(trial.Broken, match=r"1 bytes take 1\.10 s"):
        trial.attempt(lambda data: clock.spend(1.1), b"x")


def test_what_takes_too_much_memory_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    held = iter((1024, 1024 + trial.MEMORY_MB + 1))
    monkeypatch.setattr(trial, "peak_mb", lambda: next(held))
    with pytest.raises(trial.Broken, match="memory rises from 1024 to 1325 MB"):
        trial.attempt(lambda data: None, b"")


def test_inputs_are_bounded_and_the_same_for_the_same_number() -> None:
    made = [[mutate(random, [b"<a>", b"b" * 99], [b"<c>"]) for _ in range(200)]
            for random in (Random(7), Random(7))]  # fmt: skip
    assert made[0] == made[1]
    assert max(map(len, made[0])) <= LONGEST
    assert len(set(made[0])) > 150


@pytest.mark.parametrize(("words", "code"), [(["urls", "--minutes=0"], 0), (["nothing"], 2)])
def test_the_command(words: list[str], code: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", *words, f"--found={tmp_path}"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    assert code or done.stdout.startswith("urls: ")
