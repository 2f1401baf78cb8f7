"""Contained programs: what is in their account's files stays in the workspace."""
import contextlib
import ctypes
import errno
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from socket_client import Client
from workspace import (
    ANN, DONE, FAMILY, PERSONAL, PROGRAMS, REFUSED, SETTINGS, USAGE, WorkspaceCase, wait_until)

NEEDS = ("git", "sqlite3")

libc = ctypes.CDLL(None)
HERE = pathlib.Path(__file__).resolve().parent
CONNECT = PROGRAMS / "connect.py"
SECRET = b"Contoso buys Fabrikam at 31.7 a share, on Friday"
RESTRICTED = {
    "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Restricted",
    "appDataEncryptionType": "whenDeviceLocked", "pinRequired": False,
    "allowedOutboundDataTransferDestinations": "managedApps"}


class Contained(WorkspaceCase):
    settings = {**SETTINGS, "Containment": "required"}
    policy = RESTRICTED
    account = ANN

    def words(self, *command, options=()):
        return ["mamctl", "run", "--workspace", self.workspace.name, "--contained",
                "--account", self.account, *options, "--", *map(str, command)]

    def contained(
            self, *command, options=(), status=0, seconds=120, stdin=subprocess.DEVNULL):
        """What a contained command wrote to its terminal."""
        master, slave = pty.openpty()
        child = subprocess.Popen(
            self.words(*command, options=options), stdin=stdin, stdout=slave, stderr=slave,
            env=self.workspace.environment)
        os.close(slave)
        text, end = b"", time.monotonic() + seconds
        try:
            while time.monotonic() < end:
                if select.select([master], [], [], 1)[0]:
                    try:
                        text += os.read(master, 65536)
                    except OSError:  # the last one that had it open has ended
                        break
            self.assertEqual(child.wait(timeout=60), status, text.decode(errors="replace"))
        finally:
            child.kill()
            child.wait()
            os.close(master)
        return text.replace(b"\r\n", b"\n")

    def secret(self, name="plan.txt"):
        """A sealed file of the account's."""
        return self.workspace.write_contained(self.directory / name, SECRET)


class Accomplices:
    """Programs outside that take whatever they are given. `got`: all of it."""

    def __init__(self, place):
        self.place, self.got, self.open = place, [], []
        self.abstract = place.name

    def start(self):
        for name in ("kept", "shared"):
            (self.place / name).write_bytes(b"-" * 4096)
        with contextlib.suppress(OSError):  # not on every file system
            os.setxattr(self.place / "kept", "user.kept", b"x")
        (self.place / "empty").mkdir()
        self.states = self.state()
        os.mkfifo(self.place / "fifo")
        self.listen(socket.AF_UNIX, socket.SOCK_STREAM, str(self.place / "listener"))
        self.listen(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.abstract)
        self.listen(socket.AF_UNIX, socket.SOCK_STREAM, str(self.place / "docker.sock"))
        self.receive(socket.AF_UNIX, str(self.place / "datagrams"))
        self.port = self.listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp_port = self.receive(socket.AF_INET, ("127.0.0.1", 0))
        self.collect(os.open(self.place / "fifo", os.O_RDONLY | os.O_NONBLOCK))
        self.master, self.terminal = pty.openpty()
        self.collect(self.master)
        # A process with memory and a descriptor that can be written to.
        self.program = subprocess.Popen(
            [sys.executable, PROGRAMS / "accomplice.py", self.place / "shared"],
            stdout=subprocess.PIPE)
        self.address, self.descriptor = map(int, self.program.stdout.readline().split())
        self.share()

    def state(self):
        """What chmod(2), chown(2) and setxattr(2) change."""
        paths = [self.place, *(self.place / name for name in ("kept", "shared", "empty"))]
        facts = [path.stat() for path in paths]
        return [(fact.st_mode, fact.st_uid, fact.st_gid, os.listxattr(path))
                for path, fact in zip(paths, facts)]

    def share(self):
        """What lies in the kernel's memory."""
        private, mode = 0, 0o1600  # IPC_PRIVATE, IPC_CREAT
        self.semaphores = libc.semget(private, 1, mode)
        self.segment = libc.shmget(private, 4096, mode)
        self.queue = libc.msgget(private, mode)
        self.posix_queue = f"mamd-{self.place.name}"
        queue = libc.mq_open(f"/{self.posix_queue}".encode(), os.O_CREAT | os.O_RDWR, 0o600, None)
        os.close(queue)

    def unshare(self):
        """Returns whether all is as it was."""
        semaphore, queued = libc.semctl(self.semaphores, 0, 12), ctypes.create_string_buffer(64)
        taken = libc.msgrcv(self.queue, queued, 8, 0, 0o4000)
        libc.semctl(self.semaphores, 0, 0)
        libc.shmctl(self.segment, 0, None)
        libc.msgctl(self.queue, 0, None)
        is_there = libc.mq_unlink(f"/{self.posix_queue}".encode()) == 0
        return semaphore == 0 and taken < 0 and is_there

    def listen(self, family, kind, address):
        listener = socket.socket(family, kind)
        listener.bind(address)
        listener.listen()
        self.open.append(listener)

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    self.got.append(connection.recv(65536))

        threading.Thread(target=accept, daemon=True).start()
        return listener.getsockname()[1] if family != socket.AF_UNIX else None

    def receive(self, family, address):
        receiver = socket.socket(family, socket.SOCK_DGRAM)
        receiver.bind(address)
        self.open.append(receiver)

        def collect():
            with contextlib.suppress(OSError):
                while True:
                    self.got.append(receiver.recv(65536))

        threading.Thread(target=collect, daemon=True).start()
        return receiver.getsockname()[1] if family != socket.AF_UNIX else None

    def collect(self, descriptor):
        def read():
            with contextlib.suppress(OSError):
                while True:
                    if select.select([descriptor], [], [], 1)[0]:
                        self.got.append(os.read(descriptor, 65536))
                        time.sleep(0.05)

        threading.Thread(target=read, daemon=True).start()

    def close(self):
        self.unshare()
        self.program.kill()
        self.program.communicate()
        for one in self.open:
            one.close()


class WaysOut(Contained):
    """From inside."""

    def setUp(self):
        super().setUp()
        self.plan, self.second = self.secret(), self.secret("second.txt")
        self.plain = self.directory / "plain.txt"
        self.workspace.write_as(PERSONAL, self.plain, "mine")
        # A socket's path has room for 107 bytes.
        place = pathlib.Path(tempfile.mkdtemp(dir=self.workspace.root))
        self.accomplices = Accomplices(place)
        self.accomplices.start()
        self.addCleanup(self.accomplices.close)

    def leaks(self):
        """Where all users may make files: names that no other run uses."""
        return [f"{place}/mamd-leak-{self.accomplices.abstract}" for place in ("/tmp", "/dev/shm")]

    def facts(self):
        they = self.accomplices
        facts = {
            "outside": str(they.place), "plan": str(self.plan), "second": str(self.second),
            "workspace": str(self.directory), "plain": str(self.plain), "other": PERSONAL,
            "name": self.workspace.name, "process": they.program.pid, "address": they.address,
            "descriptor": they.descriptor, "terminal": os.ttyname(they.terminal),
            "listener": str(they.place / "listener"), "abstract": they.abstract,
            "datagrams": str(they.place / "datagrams"), "docker": str(they.place / "docker.sock"),
            "port": they.port, "udp_port": they.udp_port,
            "semaphores": they.semaphores, "segment": they.segment, "queue": they.queue,
            "posix_queue": they.posix_queue, "leaks": self.leaks(),
            "socket": str(self.workspace.socket), "account": ANN,
            "sealed": str(self.backing_of(self.plan)), "passfile": str(self.workspace.passfile)}
        path = self.workspace.root / "facts.json"
        path.write_text(json.dumps(facts))
        return path

    def test_none_leads_out(self):
        text = self.contained(sys.executable, HERE / "contained_ways.py", self.facts())
        told = dict(
            line.split("\t", 1) for line in text.decode(errors="replace").splitlines()
            if "\t" in line)
        self.assertGreaterEqual(len(told), 227, text)
        self.assertEqual(
            {name: way for name, way in told.items() if not way.startswith("refused")}, {})
        # Nothing may have failed because the test is wrong.
        self.assertEqual(
            {name: way for name, way in told.items()
             if any(word in way for word in ("TypeError", "NameError", "EFAULT", "Bad address"))},
            {})
        self.assertEqual([got for got in self.accomplices.got if got], [])
        place = self.accomplices.place
        self.assertEqual(
            sorted(path.name for path in place.iterdir()),
            ["datagrams", "docker.sock", "empty", "fifo", "kept", "listener", "shared"])
        for name in ("kept", "shared"):
            self.assertEqual((place / name).read_bytes(), b"-" * 4096)
        self.assertTrue(self.accomplices.unshare())
        self.assertEqual(self.accomplices.state(), self.accomplices.states)
        self.assertEqual(os.stat(self.workspace.backing).st_mode & 0o777, 0o700)
        self.assertEqual(self.workspace.owner(self.plain), PERSONAL)
        self.assertEqual(self.plain.read_bytes(), b"mine")
        for path in self.leaks():
            self.assertFalse(os.path.exists(path))

    def lacking(self):
        """What this machine offers to nobody."""
        place, ways = self.accomplices.place, set()
        try:
            os.setxattr(place, "user.note", b"x")
        except OSError:
            ways |= {"set_an_attribute", "set_an_attribute_of_an_open_file"}
        with open(place / "kept", "rb") as file:
            try:
                fcntl.ioctl(file, 0x40086602, bytearray(8))
            except OSError:
                ways.add("set_the_flags_of_a_file")
        switch = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
        if switch.exists() and int(switch.read_text()) > (os.getuid() == 0):
            ways.add("use_io_uring")
        return ways

    def test_most_lead_out_of_a_program_that_is_not_contained(self):
        """Those that do no harm to the machine."""
        harmless = [
            "set_a_mode", "set_a_mode_by_descriptor", "set_a_mode_by_a_descriptor_of_the_path",
            "set_a_mode_through_a_link_in_the_workspace", "set_a_mode_from_a_directory",
            "set_the_set_user_id_bit", "give_a_file_to_a_group",
            "give_a_file_away", "give_a_link_away", "give_a_file_away_by_descriptor",
            "give_a_file_away_with_fchownat", "give_a_file_away_by_an_empty_path",
            "unlock_a_terminal_of_its_own", "open_a_terminal_by_its_master",
            "create_a_file", "append_to_a_file", "open_for_both", "map_a_file_shared",
            "copy_with_cp", "copy_with_dd", "archive_with_tar", "make_a_symbolic_link",
            "make_a_node", "make_a_file_without_a_name", "write_to_a_fifo", "set_an_attribute",
            "set_an_attribute_of_an_open_file", "write_memory_of_a_process",
            "follow_the_root_of_a_process", "open_a_descriptor_of_a_process",
            "get_a_descriptor_of_a_process", "write_to_another_terminal", "use_io_uring",
            "connect_to_an_accomplice", "connect_by_a_relative_path",
            "connect_to_an_abstract_socket", "send_a_datagram", "send_from_a_pair",
            "send_from_a_raw_socket", "connect_over_tcp", "connect_while_sending",
            "send_over_udp", "hide_the_family", "run_from_memory", "orphan",
            "set_the_flags_of_a_file", "set_semaphores_of_another", "set_a_semaphore_of_another",
            "wait_for_semaphores_of_another", "wait_for_semaphores_of_another_with_a_deadline",
            "set_the_mode_of_a_segment", "write_to_a_segment", "set_the_size_of_a_queue",
            "send_to_a_queue", "take_from_a_queue", "remove_a_posix_queue",
            "connect_while_sending_a_message", "send_over_udp_lite", "read_another_terminal",
            # The terminal's session ends with it.
            "take_another_terminal"]
        self.workspace.write_as(PERSONAL, self.directory / "mine.txt", SECRET.decode())
        self.plan = self.directory / "mine.txt"
        done = subprocess.run(
            [sys.executable, HERE / "contained_ways.py", self.facts(),
             *(way for way in harmless if way not in self.lacking())],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=120,
            env=self.workspace.environment)
        kept = [line for line in done.stdout.decode().splitlines() if not line.endswith("\tOUT")]
        self.assertEqual(kept, [], done.stderr)
        self.assertTrue(any(SECRET in got for got in self.accomplices.got))


class Signals(Contained):
    """Those that programs send to what they have started arrive, on each kernel."""

    def test_processes_and_groups(self):
        self.contained(
            "bash", "-ec", "sleep 600 & kill $!; wait $! || true;"
            # A group of its own, whose first process may have ended.
            "set -m; { true | sleep 600; } & kill -TERM -- -$!; wait $! || true; set +m;"
            # On a kernel that restricts no signals the group would be that of the tests.
            """setsid -w bash -c "trap 'exit 7' USR1; kill -USR1 0; sleep 600" """, status=7)

    def test_threads(self):
        self.contained(
            sys.executable, "-c",
            "import os, signal, sys, threading;"
            "signal.signal(signal.SIGUSR1, lambda *_: sys.exit(9));"
            "signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1);"
            "signal.pause()", status=9)


    def test_of_a_file_that_can_be_read(self):
        self.contained(
            sys.executable, "-c",
            "import fcntl, os, signal, socket, sys;"
            "signal.signal(signal.SIGIO, lambda *_: sys.exit(11));"
            "one, other = socket.socketpair();"
            "fcntl.fcntl(one, fcntl.F_SETOWN, 0);"
            "fcntl.fcntl(one, fcntl.F_SETOWN, os.getpid());"
            "fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC);"
            "other.send(b'x');"
            "signal.pause()", status=11)


class Modes(Contained):
    """Those of files in the workspace are changed as ever, by each call."""

    def test_each_call(self):
        self.secret()
        self.contained("python3", PROGRAMS / "change_modes.py", self.directory)


class FromOutside(Contained):
    """Programs that are not contained do not get the file."""

    @contextlib.contextmanager
    def denied(self):
        with self.refused(errno.EACCES):
            yield

    def test_opens(self):
        plan = self.secret()
        for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_DIRECT):
            with self.denied():
                os.open(plan, flags)
        with self.denied():
            os.open(f"/proc/self/fd/{os.open(plan, os.O_PATH)}", os.O_RDONLY)

    def test_handles_that_outlive_the_question(self):
        """What a contained program writes would be read through them."""
        new = self.directory / "new"
        for flags in (os.O_CREAT | os.O_RDWR, os.O_TMPFILE | os.O_RDWR):
            with self.denied():
                os.open(self.directory if flags & os.O_TMPFILE == os.O_TMPFILE else new, flags)
        with self.denied():
            os.mknod(new)
        self.assertFalse(new.exists())
        # A file that is nobody's never becomes the account's while somebody has it open.
        self.workspace.write_as(PERSONAL, new, "mine")
        held = os.open(new, os.O_RDWR)
        self.addCleanup(os.close, held)
        plan = self.secret()
        self.contained("cp", plan, new, status=1)
        self.contained("sh", "-c", 'cat "$1" > "$2"', "sh", plan, new, status=2)
        self.assertEqual(os.pread(held, 100, 0), b"mine")

    def test_they_destroy_nothing(self):
        plan = self.secret()
        for flags in (os.O_RDONLY, os.O_WRONLY, os.O_RDWR):
            with self.denied():
                os.open(plan, flags | os.O_TRUNC)
        with self.denied():
            os.truncate(plan, 0)
        self.assertIn(SECRET, self.contained("cat", plan))

    def test_links_and_names(self):
        plan = self.secret()
        os.link(plan, self.directory / "linked")
        with self.denied():
            (self.directory / "linked").read_bytes()
        with self.refused(errno.EXDEV):
            os.rename(plan, self.workspace.root / "renamed")

    def test_fifos_and_sockets_are_not_made(self):
        with self.refused(errno.EPERM):
            os.mkfifo(self.directory / "fifo")
        # A socket's path has room for 107 bytes.
        place = os.open(self.directory, os.O_PATH)
        self.addCleanup(os.close, place)
        with self.refused(errno.EPERM):
            socket.socket(socket.AF_UNIX).bind(f"/proc/self/fd/{place}/socket")

    def test_programs(self):
        plan, target = self.secret(), self.workspace.root / "copy"
        plan.chmod(0o755)
        for command in (
                ["cp", plan, target], ["mv", plan, target], ["tar", "-cf", target, plan],
                ["dd", f"if={plan}", f"of={target}", "iflag=direct"],
                ["mamctl", "run", "--identity", ANN, "--workspace", self.workspace.name, "--",
                 "cp", plan, target]):
            done = subprocess.run(command, capture_output=True, env=self.workspace.environment)
            self.assertNotEqual(done.returncode, 0, command)
            self.assertIn(b"Permission denied", done.stderr)
        with self.denied():
            subprocess.run([plan])
        if target.exists():
            self.assertNotIn(SECRET, target.read_bytes())

    def test_the_socket(self):
        plan = self.secret()
        self.workspace.ctl(
            "decrypt", self.backing_of(plan), "-o", self.workspace.root / "out", "--workspace",
            self.workspace.name, status=REFUSED)

    def test_it_is_audited(self):
        plan = self.secret()
        with self.denied():
            plan.read_bytes()
        told = self.workspace.serving("audit", "--event", "refused").stdout
        self.assertIn("plan.txt", told)
        self.assertIn("--contained", self.workspace.serving(
            "audit", "--event", "refused", "--json").stdout + told)

    def test_a_descriptor_of_a_contained_program(self):
        plan = self.secret()
        child = subprocess.Popen(
            self.words("sh", "-c", 'exec 5<"$1"; exec sleep 60', "sh", plan),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)

        def held():
            for process in filter(str.isdigit, os.listdir("/proc")):
                with contextlib.suppress(OSError):
                    if os.readlink(f"/proc/{process}/fd/5") == str(plan):
                        return f"/proc/{process}/fd/5"
            return None

        wait_until(held, message="the program did not open it")
        with self.denied():
            os.open(held(), os.O_RDONLY)


class Work(Contained):
    """What must go on working."""

    def test_reading_writing_and_names(self):
        plan = self.secret()
        text = self.contained(
            "sh", "-ec", 'cd "$1"; cat plan.txt; cp plan.txt copy.txt; mv copy.txt moved.txt;'
            "mkdir -p a/b; mv moved.txt a/b; echo more >> a/b/moved.txt; rm plan.txt;"
            'ln a/b/moved.txt linked; ls "$TMPDIR"; id -u > /dev/null', "sh", self.directory)
        self.assertIn(SECRET, text)
        self.assertFalse(plan.exists())
        self.assertEqual(self.workspace.owner(self.directory / "a" / "b" / "moved.txt"), ANN)

    def test_identity(self):
        told = json.loads(self.contained("mamctl", "identity", "show", "--json"))
        self.assertEqual((told["name"], told["contained"]), (ANN, True))
        told = json.loads(self.workspace.serving("identity show", "--json").stdout)
        self.assertFalse(told["contained"])

    def test_children_are_contained_and_the_last_ends_it(self):
        plan = self.secret()
        self.assertIn(SECRET, self.contained(
            "sh", "-c", 'setsid sh -c "sleep 0.2; cat $1" & wait', "sh", plan))

    def test_status_counts_it_while_it_runs(self):
        def count():
            return self.workspace.account()["containedPrograms"]

        child = subprocess.Popen(
            self.words("cat"), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=self.workspace.environment)
        wait_until(lambda: count() == 1, message="it is not counted")
        child.communicate()
        wait_until(lambda: count() == 0, message="it is counted after its end")

    def test_temporary_files_are_the_accounts(self):
        text = self.contained(
            sys.executable, "-c",
            "import tempfile; file = tempfile.NamedTemporaryFile(delete=False); "
            "file.write(b'x'); print(file.name)")
        path = pathlib.Path(text.decode().split()[0])
        self.assertIn(self.workspace.mount_point, path.parents)
        self.assertEqual(self.workspace.owner(path), ANN)

    def test_git_and_sqlite(self):
        self.contained(
            "sh", "-ec", 'cd "$1"; git init -q r; cd r; echo a > f; git add f;'
            "git -c user.name=a -c user.email=a@b commit -qm x; git gc -q;"
            'sqlite3 db "create table t(a); insert into t values (1);"', "sh", self.directory)

    def test_a_lock_reaches_it(self):
        plan = self.secret()
        self.contained(
            "sh", "-c", 'cat "$1" > /dev/null && mamctl lock --now --workspace "$2" && cat "$1"',
            "sh", plan, self.workspace.name, status=1)
        self.workspace.unlock()

    def test_it_ends_as_the_command_does(self):
        for status in (0, 3, 255):
            self.contained("sh", "-c", f"exit {status}", status=status)
        self.contained("sh", "-c", "kill -TERM $$", status=-signal.SIGTERM)
        self.contained("/no-such-command", status=127)


class Gone(Contained):
    """The account is wiped while a program runs contained for it."""

    def test_what_it_has_in_memory_stays_there(self):
        child = subprocess.Popen(
            self.words(
                "sh", "-c", 'cd "$1"; mkdir ready; while [ ! -e go ]; do sleep 0.05; done;'
                'echo x > new; sh -c "$2" "$2" 1100 sh -c "echo x > deep"; mkdir done', "sh",
                self.directory, FAMILY),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until((self.directory / "ready").exists, message="it did not begin")
        self.workspace.serving("wipe", ANN, "--confirm", ANN)
        (self.directory / "go").mkdir()
        child.wait(timeout=120)
        # More ancestors than the daemon reads make no ordinary program of it either.
        self.assertEqual(
            sorted(path.name for path in self.directory.iterdir()), ["done", "go", "ready"])


class Start(Contained):
    def refused_start(self, *options, status=REFUSED, **streams):
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, **streams}
        done = subprocess.run(
            self.words("true", options=options), stderr=subprocess.DEVNULL,
            env=self.workspace.environment, timeout=60, **streams)
        self.assertEqual(done.returncode, status)

    def test_streams_that_lead_out(self):
        with open(self.workspace.root / "stream", "wb") as file:
            self.refused_start(stdout=file)
        self.refused_start(stdout=subprocess.PIPE)
        one, _ = self.sockets()
        self.refused_start(stdout=one)
        # Whatever they are open for: /proc/self/fd opens them anew.
        reader, writer = self.pipe()
        self.refused_start(stdout=reader)
        memory = os.open(f"/proc/self/fd/{self.memory()}", os.O_RDONLY)
        self.addCleanup(os.close, memory)
        self.refused_start(stdout=memory)
        self.refused_start(stdin=writer)
        # One that is not contained has none of the account's; what is nobody's, anybody reads.
        stream = self.directory / "stream"
        self.workspace.write_as(PERSONAL, stream, "mine")
        with open(stream, "ab") as file:
            self.refused_start(stdout=file)
        with open(stream, "rb") as file:
            self.refused_start(status=DONE, stdin=file)

    def pipe(self):
        reader, writer = os.pipe()
        ends = open(reader, "rb", buffering=0), open(writer, "wb", buffering=0)
        for one in ends:
            self.addCleanup(one.close)
        return ends

    def sockets(self):
        ends = socket.socketpair()
        for one in ends:
            self.addCleanup(one.close)
        return ends

    def memory(self):
        memory = os.memfd_create("stream")
        self.addCleanup(os.close, memory)
        return memory

    def test_input_is_copied(self):
        """From whatever has no path: the command cannot write into it."""
        text = b"line\n" * 50_000
        write_back = 'cat; { echo leak >&0; echo leak > /proc/self/fd/0; } 2> /dev/null; true'
        reader, writer = self.pipe()
        ours, theirs = self.sockets()
        memory = self.memory()
        os.write(memory, text)
        os.lseek(memory, 0, os.SEEK_SET)
        for name, stream, sink, end in (
                ("pipe", reader, writer.fileno(), writer.close),
                ("socket", theirs.fileno(), ours.fileno(), lambda: ours.shutdown(socket.SHUT_WR)),
                ("memory", memory, None, None)):
            with self.subTest(name):
                if sink is not None:
                    def feed(sink=sink, end=end):
                        rest = text
                        while rest:
                            rest = rest[os.write(sink, rest):]
                        end()

                    threading.Thread(target=feed).start()
                got = self.contained("sh", "-c", write_back, stdin=stream)
                self.assertEqual(got, text)
        self.assertEqual(reader.read(10), b"")
        ours.setblocking(False)
        with self.assertRaises(BlockingIOError):
            ours.recv(10)
        self.assertEqual(os.stat(memory).st_size, len(text))

    def test_nobody_reads_what_it_writes_into_its_input(self):
        reader, writer = self.pipe()
        self.contained(
            "sh", "-c", "echo leak > /proc/self/fd/0 2> /dev/null; true", stdin=reader)
        writer.close()
        self.assertEqual(reader.read(10), b"")

    def test_input_that_nobody_reads_ends(self):
        reader, writer = self.pipe()
        child = subprocess.Popen(
            self.words("sh", "-c", "exec 0< /dev/null; exec sleep 600"), stdin=reader,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.terminate)
        reader.close()
        os.set_blocking(writer.fileno(), False)

        def has_ended():
            try:
                os.write(writer.fileno(), b"x" * 4096)
            except BlockingIOError:
                return False
            except BrokenPipeError:
                return True
            return False

        wait_until(has_ended, message="it is still read")

    def test_network_only_narrows(self):
        self.refused_start("--network", "any")
        self.refused_start("--network", "80")
        self.refused_start("--network", "none", status=DONE)
        self.refused_start("--network", "x", status=USAGE)

    def test_options_that_need_it(self):
        self.workspace.ctl(
            "run", "--identity", ANN, "--network", "none", "--", "true", status=USAGE)
        self.workspace.ctl("run", "--contained", "--identity", ANN, "--", "true", status=USAGE)

    def test_another_users_home(self):
        place = self.workspace.mount_point / f".contained-{os.getuid()}"
        place.mkdir(mode=0o700, exist_ok=True)
        place.chmod(0o755)
        self.refused_start()
        place.chmod(0o700)
        self.refused_start(status=DONE)


class Ports(Contained):
    @classmethod
    def setUpClass(cls):
        # It is bound, so that nobody else listens there.
        silent = socket.socket()
        cls.addClassCleanup(silent.close)
        silent.bind(("127.0.0.1", 0))
        cls.port = silent.getsockname()[1]
        cls.settings = {**Contained.settings, "ContainedNetwork": [cls.port]}
        super().setUpClass()

    def test_those_alone(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        other = listener.getsockname()[1]
        self.contained(sys.executable, CONNECT, other, status=errno.EACCES)
        self.contained(sys.executable, CONNECT, self.port, status=errno.ECONNREFUSED)
        told = map(json.loads, self.workspace.serving(
            "audit", "--event", "refused", "--json").stdout.splitlines())
        self.assertEqual(
            [(one["account"], one["rule"]) for one in told if one["operation"] == "connect"],
            [(ANN, "Containment")])

    def test_the_audit_is_told_by_the_supervisor_alone(self):
        """Not by the programs, on any connection."""
        text = self.contained(
            sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]);"
            "from socket_client import Client;"
            "print(Client(sys.argv[2]).ask('Identity.NoteRefusal', what='connect'))",
            HERE, self.workspace.socket)
        self.assertIn(b"only the supervisor of contained programs", b" ".join(text.split()))
        with Client(self.workspace.socket) as client:
            self.assertIn("only the supervisor", str(client.ask(
                "Identity.NoteRefusal", what="mount")))

    def test_it_asks_nothing_about_keys(self):
        text = self.contained(
            sys.executable, "-c", "import sys; sys.path.insert(0, sys.argv[1]);"
            "from socket_client import Client;"
            "print(Client(sys.argv[2]).ask('Recovery.CompareKeys', fileDescriptor=0))",
            HERE, self.workspace.socket)
        self.assertIn(
            b"may not call io.mamd.Recovery.CompareKeys", b" ".join(text.split()))


class Offered(Contained):
    """What policy does not restrict stays open to all, and what is not required is not asked."""

    settings = {**SETTINGS, "Containment": "offered"}

    def test_it_is_as_without(self):
        plan = self.secret()
        self.assertEqual(plan.read_bytes(), SECRET)
        self.contained("cp", plan, self.workspace.root / "out", status=1)


class Free(Contained):
    policy = {**RESTRICTED, "allowedOutboundDataTransferDestinations": "allApps"}

    def closed_under(self, *command):
        """How a command ends that makes one file when it has begun, and waits for another."""
        began, changed = self.directory / "began", self.directory / "changed"
        for file in began, changed:
            file.unlink(missing_ok=True)
        child = subprocess.Popen(
            self.words(sys.executable, *command, began, changed),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.workspace.environment)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        wait_until(began.exists, message="it could not connect")
        path = self.workspace.root / "stricter.json"
        path.write_text(json.dumps(RESTRICTED))
        self.workspace.serving("policy import", path)
        changed.mkdir()
        return child.wait(timeout=60)


def waiting_connections(listener):
    """tcpi_unacked of tcp(7)'s struct tcp_info: of a listener, those that nobody has accepted."""
    info = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 64)
    return struct.unpack_from("I", info, 24)[0]


class NetworkThatIsFree(Free):
    def test_no_connection_passes_connect(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        self.contained(
            sys.executable, CONNECT, f"fast:{listener.getsockname()[1]}",
            status=errno.EOPNOTSUPP)

    def test_connections_that_wait_hold_up_nothing_else(self):
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        # All that there is room for, once it has arrived.
        first = socket.create_connection(listener.getsockname())
        self.addCleanup(first.close)
        wait_until(lambda: waiting_connections(listener) == 1)
        self.contained(
            sys.executable, PROGRAMS / "connect_in_vain.py", listener.getsockname()[1],
            self.directory / "file", seconds=30)


class NetworkThatPolicyCloses(Free):
    def test_it_reaches_a_program_that_runs(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        port = listener.getsockname()[1]
        self.assertEqual(self.closed_under(CONNECT, port), errno.EACCES)


class DatagramsThatPolicyCloses(Free):
    def test_it_reaches_a_program_that_runs(self):
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(receiver.close)
        receiver.bind(("127.0.0.1", 0))
        port = receiver.getsockname()[1]
        self.assertEqual(self.closed_under(CONNECT, f"udp:{port}"), errno.EACCES)


class SavingBlocked(Contained):
    """Data that may be sent to all, and saved nowhere else, could be saved by a program outside."""

    policy = {**RESTRICTED, "allowedOutboundDataTransferDestinations": "allApps",
              "saveAsBlocked": True}

    def test_only_contained_programs_read(self):
        plan = self.secret()
        with self.assertRaises(PermissionError):
            plan.read_bytes()
        self.contained("cmp", plan, plan)
        told = self.workspace.serving("audit", "--event", "refused", "--json").stdout
        self.assertIn("saveAsBlocked", told)


class WrittenByThePerson(Contained):
    """Without the setting, policy that no tenant has exported keeps nothing to these programs."""

    settings = {key: value for key, value in SETTINGS.items() if key != "Containment"}

    def test_other_programs_read(self):
        self.assertEqual(self.secret().read_bytes(), SECRET)


class FromTheTenant(WrittenByThePerson):
    policy = {**RESTRICTED, "id": "T_12f6a1f0-0000-4000-8000-000000000001"}

    def test_other_programs_read(self):
        plan = self.secret()
        with self.assertRaises(PermissionError):
            plan.read_bytes()
        self.contained("cmp", plan, plan)


class NothingRestricted(Contained):
    policy = None

    def test_other_programs_read(self):
        self.assertEqual(self.secret().read_bytes(), SECRET)

    def test_fifos_are_made(self):
        os.mkfifo(self.directory / "fifo")

    def test_contained_programs_change_others_files(self):
        plain = self.directory / "plain.txt"
        self.workspace.write_as(PERSONAL, plain, "mine")
        self.contained("sh", "-c", 'echo more >> "$1"', "sh", plain)
        self.assertEqual(plain.read_bytes(), b"minemore\n")


class Off(Contained):
    settings = {**SETTINGS, "Containment": "off"}

    def test_it_is_refused(self):
        done = subprocess.run(
            self.words("true"), env=self.workspace.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, REFUSED)


if __name__ == "__main__":
    import unittest

    unittest.main()
