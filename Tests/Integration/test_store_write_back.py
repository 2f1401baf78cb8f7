"""When the store begins to write a new file that nobody syncs (adr 106)."""
import fcntl
import os
import struct

from disk_image import DiskCase
from running import daemons
from tracing import injecting, tasks
from workspace import pattern, wait_until

THREAD = "write-back"
FIEMAP = 0xC020660B  # FS_IOC_FIEMAP of <linux/fs.h>
# struct fiemap, and one struct fiemap_extent.
HEAD, EXTENT = struct.Struct("QQIIII"), struct.Struct("QQQQQIIII")
HAS_NO_BLOCKS_YET = 4  # FIEMAP_EXTENT_DELALLOC


def is_only_in_memory(path):
    room = bytearray(HEAD.pack(0, 1 << 40, 0, 0, 1, 0) + bytes(EXTENT.size))
    with open(path, "rb") as file:
        fcntl.ioctl(file, FIEMAP, room)
    count = HEAD.unpack_from(room)[3]
    return count == 0 or bool(EXTENT.unpack_from(room, HEAD.size)[5] & HAS_NO_BLOCKS_YET)


class WriteBack(DiskCase):
    def setUp(self):
        super().setUp()
        self.names = map(str, range(100))

    def made(self, name, synced=False):
        """Its path in the store. It has been written there when it is closed."""
        path = self.workspace.path(name)
        with open(path, "wb", buffering=0) as file:
            file.write(pattern(5000))
            if synced:
                os.fsync(file.fileno())
        return self.workspace.on_disk(name)

    def made_to_wait(self):
        """The path of one that is not written yet. Another test's sync(2) may come between."""
        return next(filter(is_only_in_memory, map(self.made, self.names)))

    def test_it_begins_long_before_the_kernel_would(self):
        path = self.made("file")
        # The kernel takes 30 s.
        wait_until(lambda: not is_only_in_memory(path), seconds=10)

    def test_a_sync_of_another_file_or_of_a_directory_begins_it_first(self):
        path = self.made("first")
        # Then the thread is there, and sleeps again once something waits.
        wait_until(lambda: not is_only_in_memory(path))
        (daemon,) = daemons(str(self.workspace.root))
        self.assertEqual(len(tasks(daemon, THREAD)), 1)
        directory = os.open(self.workspace.mount_point, os.O_RDONLY)
        self.addCleanup(os.close, directory)
        with injecting(daemon, "clock_nanosleep", "delay_exit=600000000", THREAD):
            path = self.made_to_wait()
            self.made("synced", synced=True)
            self.assertFalse(is_only_in_memory(path))
            path = self.made_to_wait()
            os.fsync(directory)
            self.assertFalse(is_only_in_memory(path))
