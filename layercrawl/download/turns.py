"""The fetching of one task: workers take due hosts, make at most one request, and give them back.

Every Target that comes in leaves exactly one Page; redirect targets on the same host and one
robots.txt record per origin come on top.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial

from layercrawl.download import malloc
from layercrawl.download.crew import Crew
from layercrawl.download.frontier import Frontier
from layercrawl.download.handover import Handover, Room
from layercrawl.download.plan import Plan
from layercrawl.download.rulebook import Rulebook
from layercrawl.download.spool import Item, Spool
from layercrawl.download.stays import Longest
from layercrawl.download.visit import Visit
from layercrawl.records import Page

Answer = tuple[Item, Page]


def download(
    spool: Spool, plan: Plan, beat: Callable[[], None], longest: Longest | None = None
) -> Iterator[tuple[Item, Page]]:
    """All answers to a spool's Targets, as they come; `beat` is called at least once a second.

    `longest` gets how long each host took.
    An error in a worker, which is a fault of this program, is raised here with the host named.
    """
    malloc.return_large_blocks()
    spool.seal()
    book = Rulebook(spool, plan.config.user_agent)
    hosts = (Visit(spool, span, plan, book) for span in spool.hosts)
    limits = {"site": plan.config.max_per_site, "address": plan.config.max_per_address}
    frontier = Frontier(hosts, limits, Visit.places, plan.config.threads)
    handover: Handover[Answer] = Handover(_size)
    work = partial(_work, frontier, handover, longest or Longest(), plan.room)
    crew = Crew(work, min(plan.config.threads, len(spool.hosts)))

    def look() -> None:
        beat()
        handover.expect(crew.hire(frontier.waiting_long()))

    try:
        yield from handover.gather(crew.hire(0), look)
    finally:
        frontier.close()


def _size(answer: Answer) -> int:
    """Bytes of memory, about."""
    return sys.getsizeof(answer[1].html) + len(answer[1].body_b64) + 1000


def _work(
    frontier: Frontier[Visit], handover: Handover[Answer], longest: Longest, room: Room
) -> None:
    def emit(item: Item, page: Page) -> None:
        handover.put((item, page))

    visit: Visit | None = None
    try:
        while visit := frontier.take():
            pause = visit.turn(emit)
            room.leave()
            if pause is None:
                longest.add(visit.stay())
                frontier.finish(visit)
            else:
                frontier.give(visit, pause)
    except BaseException as error:
        error.add_note(f"while working on {visit.host if visit else 'no host'}")
        handover.leave(error)
    handover.leave()
