"""A page that soak.py and its workers share: is it locked, is it over, does everybody get on."""
import ctypes
import mmap


class Shared:
    MOST_WORKERS = 64

    class Page(ctypes.Structure):
        _fields_ = [
            # Counts up before a lock and after the unlock, so that it is even while everything is
            # unlocked.
            ("phase", ctypes.c_uint64), ("over", ctypes.c_uint64),
            ("progress", ctypes.c_uint64 * 64)]

    def __init__(self, path):
        with open(path, "r+b") as file:
            self.page = self.Page.from_buffer(mmap.mmap(file.fileno(), mmap.PAGESIZE))

    @staticmethod
    def create(path):
        path.write_bytes(bytes(mmap.PAGESIZE))
        return Shared(path)

    def unlocked_phase(self):
        """A number that changes with every lock; nil while there is one."""
        phase = self.page.phase
        return phase if phase % 2 == 0 else None

    def locking(self):
        self.page.phase += 1

    unlocked = locking

    def is_over(self):
        return bool(self.page.over)

    def end(self):
        self.page.over = 1

    def progressed(self, index):
        self.page.progress[index] += 1

    def progress(self):
        return list(self.page.progress)
