"""What one file must hold, as the program that changes it knows. Used by soak_worker.py."""
import collections
import errno


class Mismatch(Exception):
    """A file, a name or an errno is not what it must be."""


class File:
    """One file of a worker's: its content, names, class and open handles."""

    def __init__(self, letter, name):
        self.letter, self.names = letter, [name]
        self.content = bytearray()
        # A change that was refused: (start, bytes). Each of its bytes may be there or not, until
        # somebody looks.
        self.doubt = None
        self.handles = []
        # The class was changed under open handles: which class these follow is not our business.
        self.is_mixed = False
        # What was done to it last, to find out why it is not what it must be.
        self.history = collections.deque(maxlen=12)

    def may_be_refused(self, by_handle):
        return self.is_mixed or self.letter == "A" or (self.letter == "B" and not by_handle)

    def story(self):
        return f"class {self.letter}, handles {self.handles}, done to it: {', '.join(self.history)}"

    def write(self, start, data):
        if data and start > len(self.content):
            self.content.extend(bytes(start - len(self.content)))
        self.content[start : start + len(data)] = data

    def truncate(self, size):
        del self.content[size:]
        self.content.extend(bytes(size - len(self.content)))

    def zero(self, start, count, keeps_size):
        end = start + count
        if not keeps_size:
            self.truncate(max(len(self.content), end))
        inside = range(*slice(start, end).indices(len(self.content)))
        self.content[inside.start : inside.stop] = bytes(len(inside))

    def settle(self, found):
        """Compares with what was read; what was in doubt is from now on as it was found."""
        start, data = self.doubt or (0, b"")
        end = start + len(data)
        size = len(self.content)
        expected = bytearray(self.content[: len(found)].ljust(len(found), b"\0"))
        for place in range(start, min(end, len(found))):
            if found[place] == data[place - start]:
                expected[place] = found[place]
        if not size <= len(found) <= max(size, end if data else 0) or expected != found:
            raise Mismatch(
                f"{self.names}: {describe(found, expected, size)}; in doubt: {len(data)} from "
                f"{start}; {self.story()}")
        self.content, self.doubt = bytearray(found), None


def describe(found, expected, size):
    places = [
        place for place in range(min(len(found), len(expected))) if found[place] != expected[place]]
    place = places[0] if places else 0
    return (
        f"{len(found)} bytes, expected {size}; {len(places)} differ, the first at {place}, the "
        f"last at {places[-1:]}: "
        f"found {bytes(found[place : place + 32])}, expected {bytes(expected[place : place + 32])}")


def name_of(number):
    return errno.errorcode.get(number, str(number))
