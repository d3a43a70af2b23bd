"""Answers pass in bounded memory: few characters wait, and few large bodies are text at once."""

from __future__ import annotations

import threading
import time

import pytest

from layercrawl.download.handover import LARGE, Handover, Room


def gathered(handover: Handover[str], workers: int) -> list[str]:
    return list(handover.gather(workers, lambda: None))


def test_answers_come_in_order_until_all_workers_went_home() -> None:
    handover: Handover[str] = Handover(len)
    for answer in ("a", "b"):
        handover.put(answer)
    handover.leave()
    handover.put("c")
    handover.leave()
    assert gathered(handover, 2) == ["a", "b", "c"]


def test_a_worker_waits_while_too_much_lies_there_but_one_large_answer_passes() -> None:
    handover: Handover[str] = Handover(len, most=10)
    handover.put("x" * 100)
    second = threading.Thread(target=handover.put, args=("y",))
    second.start()
    second.join(0.05)
    assert second.is_alive()
    answers = handover.gather(1, lambda: None)
    assert next(answers) == "x" * 100
    second.join(5)
    assert not second.is_alive()
    assert next(answers) == "y"


def test_an_error_reaches_the_reader() -> None:
    handover: Handover[str] = Handover(len)
    handover.leave(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        gathered(handover, 1)


def test_nobody_waits_for_a_reader_that_left() -> None:
    handover: Handover[str] = Handover(len, most=1)
    handover.leave()
    gathered(handover, 1)
    for _ in range(3):
        handover.put("xx")


def test_the_reader_is_awake_every_second_though_nothing_comes() -> None:
    handover: Handover[str] = Handover(len)
    beats: list[float] = []

    def beat() -> None:
        beats.append(time.monotonic())
        if len(beats) == 2:
            handover.leave()

    list(handover.gather(1, beat))
    assert len(beats) == 2


def test_room_is_for_large_bodies_and_for_each_worker_once() -> None:
    room = Room(most=1)
    room.take(LARGE - 1)
    room.take(LARGE)
    room.take(LARGE)
    entered = threading.Event()

    def other() -> None:
        room.take(LARGE)
        entered.set()
        room.leave()

    waiting = threading.Thread(target=other)
    waiting.start()
    assert not entered.wait(0.05)
    room.leave()
    room.leave()
    assert entered.wait(5)
    waiting.join(5)
