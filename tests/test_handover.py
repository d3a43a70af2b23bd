"""Answers pass in bounded memory: few bytes wait, and few bodies are text at a time."""

from __future__ import annotations

import threading
import time

import pytest

from layercrawl.download.handover import Handover, Room


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
    first = threading.Thread(target=handover.put, args=("x" * 100,))
    first.start()
    answers = handover.gather(1, lambda: None)
    assert next(answers) == "x" * 100
    second = threading.Thread(target=handover.put, args=("y",))
    second.start()
    for worker in (first, second):
        worker.join(0.05)
        assert worker.is_alive(), "the reader has not done with the large one"
    assert next(answers) == "y"
    for worker in (first, second):
        worker.join(5)
        assert not worker.is_alive()


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


def in_a_thread(room: Room, size: int) -> threading.Event:
    """Take room in a thread of its own; set when it has it."""
    entered = threading.Event()

    def work() -> None:
        room.take(size)
        entered.set()

    threading.Thread(target=work, daemon=True).start()
    return entered


def test_bodies_share_the_room_and_each_worker_has_one() -> None:
    room = Room(most=10)
    room.take(9)
    room.take(6)
    assert in_a_thread(room, 4).wait(5)
    third = in_a_thread(room, 4)
    assert not third.wait(0.05)
    room.leave()
    room.leave()
    assert third.wait(5)


def test_a_body_that_is_larger_than_the_room_has_it_alone_and_is_not_passed_by() -> None:
    room = Room(most=10)
    room.take(1)
    large = in_a_thread(room, 100)
    assert not large.wait(0.05)
    small = in_a_thread(room, 1)
    assert not small.wait(0.05)
    room.leave()
    assert large.wait(5)
    assert not small.wait(0.05)
