"""File handles: they outlast the kernel's memory of a file, and the daemon."""
import contextlib
import errno
import os
import struct
import threading
import unittest

from file_handles import forged, handle_of, node_of_backing, number_of, opened
from workspace import (
    ANN, BOB, PROGRAMS, WorkspaceCase, make_the_kernel_forget, pattern, wait_until)

@unittest.skipUnless(os.geteuid() == 0, "opening by handle takes CAP_DAC_READ_SEARCH")
class Handles(WorkspaceCase):
    accounts = (ANN, BOB)

    def opened(self, handle, flags=os.O_RDONLY):
        return opened(handle, self.workspace.mount_point, flags)

    def read(self, handle):
        with open(self.opened(handle), "rb") as file:
            return file.read()

    def forget(self):
        """Both file systems: nothing then knows where a file stands."""
        os.sync()
        make_the_kernel_forget()

    def tree(self):
        """Of every kind of file the path and what tells that it is the same one."""
        for name in ("a", "a/b", "a/b/c"):
            (self.directory / name).mkdir()
        paths = [self.directory]
        for at, name in enumerate(("one", "a/two", "a/b/three", "a/b/c/four")):
            paths.append(self.write(self.directory / name, pattern(5000, at)))
            paths.append((self.directory / name).parent)
        os.link(self.directory / "one", self.directory / "a/b/second name")
        # Neither is opened: what is there is told by lstat.
        os.symlink("one", self.directory / "a/link")
        os.mkfifo(self.directory / "a/fifo")
        return {path: (handle_of(path), os.lstat(path).st_ino) for path in paths}

    def check(self, known):
        for path, (handle, inode) in known.items():
            descriptor = self.opened(handle)
            with self.subTest(path=path.name):
                self.assertEqual(os.fstat(descriptor).st_ino, inode)
                # The kernel has put it in its place.
                if path.is_dir():
                    self.assertEqual(os.readlink(f"/proc/self/fd/{descriptor}"), str(path))
                else:
                    self.assertEqual(os.read(descriptor, 9000), path.read_bytes())
            os.close(descriptor)

    def assertStale(self, handle, flags=os.O_RDONLY):
        with self.refused(errno.ESTALE):
            os.close(self.opened(handle, flags))

    def is_stale_once_forgotten(self, handle):
        self.forget()
        try:
            os.close(self.opened(handle))
        except OSError as error:
            return error.errno == errno.ESTALE
        return False

    def test_while_the_kernel_knows_the_file(self):
        self.check(self.tree())

    def test_after_the_kernel_has_forgotten(self):
        known = self.tree()
        for _ in range(3):
            self.forget()
            self.check(known)

    def test_after_a_remount(self):
        known = self.tree()
        for forgets in (False, True):
            self.workspace.remount()
            self.workspace.unlock(BOB)
            if forgets:
                self.forget()
            self.check(known)

    def test_of_the_mount_itself(self):
        top = self.workspace.mount_point
        known = {top: (handle_of(top), os.lstat(top).st_ino)}
        self.forget()
        self.check(known)

    def test_after_moves(self):
        path = self.write(self.directory / "file", b"moved")
        (self.directory / "from" / "inner").mkdir(parents=True)
        file, folder = handle_of(path), handle_of(self.directory / "from" / "inner")
        (self.directory / "to").mkdir()
        os.rename(path, self.directory / "to" / "other")
        os.rename(self.directory / "from", self.directory / "to" / "there")
        self.forget()
        self.assertEqual(self.read(file), b"moved")
        descriptor = self.opened(folder)
        self.assertEqual(
            os.readlink(f"/proc/self/fd/{descriptor}"), str(self.directory / "to/there/inner"))
        os.close(descriptor)

    def test_what_is_written_by_handle(self):
        path = self.write(self.directory / "file", pattern(20_000))
        handle = handle_of(path)
        self.forget()
        with open(self.opened(handle, os.O_RDWR), "r+b") as file:
            file.seek(7000)
            file.write(b"by handle")
        self.assertEqual(path.read_bytes()[7000:7009], b"by handle")
        self.assertTrue(self.workspace.is_managed_on_disk(self.backing_of(path)))

    def test_a_removed_file_is_stale(self):
        (self.directory / "folder").mkdir()
        path = self.write(self.directory / "file", b"x")
        self.workspace.await_closed()
        handles = [handle_of(path), handle_of(self.directory / "folder")]
        path.unlink()
        (self.directory / "folder").rmdir()
        for step in (lambda: None, self.forget, self.workspace.remount):
            step()
            for handle in handles:
                self.assertStale(handle)

    def test_a_removed_file_that_is_open_is_there(self):
        path = self.write(self.directory / "file", b"still here")
        handle = handle_of(path)
        with open(path, "rb"):
            path.unlink()
            self.forget()
            self.assertEqual(self.read(handle), b"still here")
        # The daemon hears of the close only after close() has returned.
        wait_until(
            lambda: self.is_stale_once_forgotten(handle), message="a removed file is there")

    def test_a_number_that_is_used_again_is_another_file(self):
        """ext4 gives a free inode number to the next file in the same directory."""
        old = {}
        for turn in range(200):
            path = self.write(self.directory / "file", str(turn).encode(), durable=False)
            inode, handle = os.stat(path).st_ino, handle_of(path)
            if inode in old:
                break
            old[inode] = handle
            path.unlink()
        else:
            self.skipTest("the backing file system used no number again")
        self.assertNotEqual(number_of(handle), number_of(old[inode]))
        for step in (lambda: None, self.forget):
            step()
            self.assertStale(old[inode])
            self.assertEqual(self.read(handle), str(turn).encode())

    def test_a_number_of_an_earlier_mount_is_nobodys(self):
        """Those which do not last are counted; the next daemon counts from the beginning."""
        for node in range(1, 200):
            for generation in (0, 1):
                if (node, generation) != (1, 0):
                    self.assertStale(forged(node, generation))

    def test_no_handle_leads_out_of_the_backing_directory(self):
        outside = self.workspace.root / "outside"
        outside.mkdir()
        secret = outside / "secret"
        secret.write_bytes(b"not in the workspace")
        inside = self.write(self.directory / "file", b"inside")
        _, generation = number_of(handle_of(inside))
        self.assertEqual(node_of_backing(self.backing_of(inside)), number_of(handle_of(inside))[0])
        hidden = self.workspace.backing / ".mamd"
        targets = [
            secret, outside, self.workspace.root, self.workspace.backing.parent.parent,
            hidden, *hidden.rglob("*"), self.workspace.state / "device-secret"]
        targets = [target for target in targets if target.exists()]
        self.assertGreater(len(targets), 5)
        for step in (lambda: None, self.forget):
            step()
            for target in targets:
                with self.subTest(target=target.name):
                    self.assertStale(forged(node_of_backing(target), generation), os.O_PATH)
        # The other name of a file that has one in the workspace: the file is in the workspace.
        os.link(self.backing_of(inside), outside / "also")
        handle = handle_of(inside)
        self.forget()
        # The backing file system's memory has the name outside now.
        (outside / "also").read_bytes()
        self.assertEqual(self.read(handle), b"inside")

    def test_nothing_hidden_while_verify_looks_at_it(self):
        """verify makes the workspace's own files known; a handle still does not reach them."""
        hidden = self.workspace.backing / ".mamd"
        for at in range(300):
            self.write(self.directory / str(at), b"x", durable=False)
        _, generation = number_of(handle_of(self.directory / "0"))
        targets = [
            forged(node_of_backing(path), generation) for path in (hidden, *hidden.rglob("*"))]
        running = threading.Thread(
            target=lambda: [self.workspace.serving("verify", status=None) for _ in range(4)])
        running.start()
        while running.is_alive():
            for target in targets:
                self.assertStale(target, os.O_PATH)
        running.join()

    def test_a_handle_opens_no_more_than_the_path(self):
        sealed = self.write(self.directory / "file", b"sealed")
        handle = handle_of(sealed)
        self.workspace.lock()
        try:
            for step in (lambda: None, self.forget):
                step()
                with self.refused(errno.ENOKEY):
                    os.close(os.open(sealed, os.O_RDONLY))
                with self.refused(errno.ENOKEY):
                    os.close(self.opened(handle))
                self.assertEqual(os.fstat(descriptor := self.opened(handle, os.O_PATH)).st_size, 6)
                os.close(descriptor)
        finally:
            self.workspace.unlock()
        self.assertEqual(self.read(handle), b"sealed")

    def test_another_identity_gets_as_much_as_by_path(self):
        """A managed file, and a program of the unmanaged identity: policy lets nothing out."""
        sealed = self.write(self.directory / "file", b"sealed")
        handle = handle_of(sealed)
        self.forget()
        data = struct.pack("<Ii", handle.count, handle.kind) + bytes(handle.bytes)[:handle.count]
        answer = self.workspace.run_as(
            "ann.personal@example.org", "/usr/bin/python3", "-B", PROGRAMS / "open_by_handle.py",
            sealed, data.hex(), self.workspace.mount_point).stdout.split()
        self.assertEqual(answer[0], answer[1])

    def test_many_files_after_a_remount(self):
        paths = [
            self.write(self.directory / str(at), str(at).encode(), durable=False)
            for at in range(500)]
        handles = [handle_of(path) for path in paths]
        self.workspace.remount()
        self.forget()
        for at, handle in enumerate(handles):
            self.assertEqual(self.read(handle), str(at).encode())

    def test_while_files_come_and_go(self):
        """Somebody renames beside it: every answer is the file, or ESTALE."""
        known = {name: self.write(self.directory / name, name.encode()) for name in "abcdef"}
        handles = {name: handle_of(path) for name, path in known.items()}
        ends = threading.Event()

        def stir():
            place = self.directory / "elsewhere"
            place.mkdir()
            while not ends.is_set():
                for name, path in known.items():
                    os.rename(path, place / name)
                    os.rename(place / name, path)
                    with contextlib.suppress(FileNotFoundError):
                        (place / "short").unlink()
                    (place / "short").write_bytes(b"another")

        stirring = threading.Thread(target=stir)
        stirring.start()
        try:
            for _ in range(20):
                make_the_kernel_forget()
                for name, handle in handles.items():
                    try:
                        self.assertEqual(self.read(handle), name.encode())
                    except OSError as problem:
                        # What moves from behind the search to before it is missed.
                        self.assertEqual(problem.errno, errno.ESTALE)
        finally:
            ends.set()
            stirring.join()
        self.forget()
        for name, handle in handles.items():
            self.assertEqual(self.read(handle), name.encode())


if __name__ == "__main__":
    unittest.main()
