"""What is asked for before it is known: a call may be what has started this program."""
from collections.abc import Callable


class UntilKnown:
    def __init__(self) -> None:
        self._is_known = False
        self._waiting: list[Callable[[], None]] = []

    def run(self, act: Callable[[], None]) -> None:
        if self._is_known:
            act()
        else:
            self._waiting.append(act)

    def known(self) -> None:
        self._is_known = True
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()
