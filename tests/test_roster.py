"""Nobody is asked by two at a time, nor too soon after another; and guests get their turn."""

from __future__ import annotations

import pytest

from layercrawl.download import roster
from layercrawl.download.roster import Roster

A = "a.example"


class Clock:
    now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    hand = Clock()
    monkeypatch.setattr(roster, "time", hand)
    return hand


def test_its_own_visit_may_come_whenever_no_guest_is_there(clock: Clock) -> None:
    ours = Roster()
    for _ in range(3):
        assert ours.enter(A) == 0
        ours.leave(A, 5.0)


def test_a_guest_waits_for_the_hosts_own_visit_and_for_its_pause(clock: Clock) -> None:
    ours = Roster()
    ours.enter(A)
    assert ours.enter_as_guest(A) > 0
    ours.leave(A, 5.0)
    assert ours.enter_as_guest(A) == 5
    clock.now += 5
    assert ours.enter_as_guest(A) == 0


def test_the_hosts_own_visit_waits_for_a_guest_and_for_the_pause_after(clock: Clock) -> None:
    ours = Roster()
    assert ours.enter_as_guest(A) == 0
    assert ours.enter(A) > 0 and ours.enter_as_guest(A) > 0
    ours.leave_as_guest(A, 2.0)
    clock.now += 1
    assert ours.enter_as_guest(A) == 1
    clock.now += 1
    assert ours.enter_as_guest(A) == 0


def test_the_hosts_own_visit_gives_way_once_to_a_guest_that_was_sent_away(clock: Clock) -> None:
    ours = Roster()
    ours.enter(A)
    ours.leave(A, 2.0)
    assert ours.enter_as_guest(A) == 2
    clock.now += 2
    assert ours.enter(A) > 0
    assert ours.enter_as_guest(A) == 0
    ours.leave_as_guest(A, 0.0)
    clock.now += 2
    assert ours.enter(A) == 0


def test_a_guest_that_never_comes_back_is_not_waited_for(clock: Clock) -> None:
    ours = Roster()
    ours.enter(A)
    ours.leave(A, 2.0)
    assert ours.enter_as_guest(A) == 2
    clock.now += 3
    assert ours.enter(A) == 0


def test_a_guest_leaves_a_host_the_pause_that_its_own_visit_knows_of(clock: Clock) -> None:
    ours = Roster()
    ours.enter(A)
    ours.leave(A, 5.0)
    clock.now += 5
    assert ours.enter_as_guest(A) == 0
    ours.leave_as_guest(A, 1.0)
    assert ours.enter(A) == ours.enter_as_guest(A) == 5


def test_a_pause_that_is_known_later_counts_from_when_the_guest_went(clock: Clock) -> None:
    ours = Roster()
    assert ours.rest_after_guest(A, 5.0) == 0
    ours.enter_as_guest(A)
    ours.leave_as_guest(A, 1.0)
    clock.now += 2
    assert ours.enter(A) == 0
    assert ours.rest_after_guest(A, 5.0) == 3


def test_who_wants_nobody_to_come_says_so_once(clock: Clock) -> None:
    ours = Roster()
    ours.leave_as_guest(A, 1.0, "2026-01-02T00:00:00Z")
    ours.leave(A, 1.0)
    ours.leave(A, 1.0, "2026-01-01T00:00:00Z")
    assert (ours.put_off(A), ours.put_off("b.example")) == ("2026-01-02T00:00:00Z", "")


def test_hosts_that_rested_are_forgotten(clock: Clock) -> None:
    ours = Roster()
    for number in range(100_000):
        ours.enter(f"{number}.example")
        ours.leave(f"{number}.example", 1.0)
        clock.now += 0.1
    assert len(ours._rests._moments) < 2000
