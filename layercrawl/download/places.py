"""Places that hosts share, a site or an address, and how many hosts may be in one at a time. Pure.

>>> places: Places[str] = Places({"site": 1})
>>> places.enter("www", {"site": "a.example"}), places.enter("doc", {"site": "a.example"})
(True, False)
>>> places.leave("www")
['doc']
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Host = TypeVar("Host", bound=Hashable)
_Place = tuple[str, str]


class Places(Generic[Host]):
    """Lets hosts in while there is room in all of their places; the others wait for it.

    `limits` says for each kind of place how many hosts may be in one; a kind without a limit is
    free, and so is a place without a name. Wherever there is room and somebody waits for it,
    somebody was handed out by `leave` or `passed_by` and has yet to `enter`.
    """

    def __init__(self, limits: Mapping[str, int]) -> None:
        self.limits = {kind: most for kind, most in limits.items() if most}
        self._inside: Counter[_Place] = Counter()
        self._of: dict[Host, list[_Place]] = {}
        self._waiting: defaultdict[_Place, deque[Host]] = defaultdict(deque)

    def enter(self, host: Host, places: Mapping[str, str]) -> bool:
        """Whether a host, which has one place of each kind, is in now; else it waits."""
        mine = self._limited(places)
        full = next((place for place in mine if self._is_full(place)), None)
        if full is None:
            self._of[host] = mine
            self._inside.update(mine)
        else:
            self._waiting[full].append(host)
        return full is None

    def leave(self, host: Host) -> list[Host]:
        """Take a host out that was in; the hosts that may now try to `enter`."""
        mine = self._of.pop(host, [])
        for place in mine:
            self._inside[place] -= 1
            if not self._inside[place]:
                del self._inside[place]
        return self._next(mine)

    def passed_by(self, places: Mapping[str, str]) -> list[Host]:
        """The hosts that may try to `enter` in the stead of one that had to wait elsewhere."""
        return self._next(self._limited(places))

    def _limited(self, places: Mapping[str, str]) -> list[_Place]:
        return [(kind, places[kind]) for kind in self.limits if places.get(kind)]

    def _is_full(self, place: _Place) -> bool:
        return self._inside[place] >= self.limits[place[0]]

    def _next(self, places: Iterable[_Place]) -> list[Host]:
        found = []
        for place in places:
            if place in self._waiting and not self._is_full(place):
                found.append(self._waiting[place].popleft())
                if not self._waiting[place]:
                    del self._waiting[place]
        return found
