"""How often a person is told something."""
import collections
from collections.abc import Hashable


class RateLimit:
    """At most `count` in `seconds`, and the same only once in that time."""

    def __init__(self, count: int, seconds: float) -> None:
        self._count, self._seconds = count, seconds
        self._times: collections.deque[float] = collections.deque()
        self._last: dict[Hashable, float] = {}
        self.held_back = 0

    def allows(self, what: Hashable, now: float) -> bool:
        begin = now - self._seconds
        while self._times and self._times[0] <= begin:
            self._times.popleft()
        self._last = {key: time for key, time in self._last.items() if time > begin}
        if what in self._last:
            return False
        if len(self._times) >= self._count:
            self.held_back += 1
            return False
        self._times.append(now)
        self._last[what] = now
        return True

    def take_held_back(self) -> int:
        """How many others there were since the last time."""
        count, self.held_back = self.held_back, 0
        return count
