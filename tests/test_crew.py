"""Workers as they are wanted, and fetching that goes on while some of them wait."""

from __future__ import annotations

import threading

import pytest

from layercrawl.download.crew import SPARE, Crew
from layercrawl.download.frontier import Frontier
from layercrawl.download.handover import Handover


def test_workers_come_as_they_are_wanted() -> None:
    came = threading.Semaphore(0)
    crew = Crew(came.release, 4)
    assert [crew.hire(n) for n in (0, 0, 3, 2, 3, 1000, 1000)] == [4, 0, 3, 0, 0, 4 * SPARE - 3, 0]
    assert all(came.acquire(timeout=5) for _ in range(4 + 4 * SPARE))


def test_there_may_be_fewer_than_wanted(monkeypatch) -> None:
    class Thread(threading.Thread):
        left = 2

        def start(self) -> None:
            if not self.left:
                raise RuntimeError("can't start new thread")
            Thread.left -= 1
            super().start()

    monkeypatch.setattr("layercrawl.download.crew.threading.Thread", Thread)
    assert Crew(lambda: None, 5).hire(0) == 2
    with pytest.raises(RuntimeError):
        Crew(lambda: None, 5).hire(0)


def test_one_who_waits_holds_up_nobody(monkeypatch) -> None:
    monkeypatch.setattr("layercrawl.download.frontier.LONG", 0.05)
    monkeypatch.setattr("layercrawl.download.handover._PATIENCE", 0.02)
    free, hosts = threading.Event(), ["slow", "slower", "quick", "quicker"]
    frontier: Frontier[str] = Frontier(iter(hosts), most=1)
    handover: Handover[str] = Handover(len)

    def work() -> None:
        while host := frontier.take():
            if host.startswith("slow"):
                free.wait(5)
            handover.put(host)
            frontier.finish(host)
        handover.leave()

    crew = Crew(work, 1)
    found = handover.gather(
        crew.hire(0), lambda: handover.expect(crew.hire(frontier.waiting_long()))
    )
    assert [next(found), next(found)] == ["quick", "quicker"]
    free.set()
    assert sorted(found) == ["slow", "slower"]
