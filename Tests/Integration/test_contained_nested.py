"""Contained programs in a display of their own."""
import contextlib
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from nested_session import Session
from running import open_files
from test_contained import Contained
from workspace import DONE, NO, PROGRAMS, USAGE, wait_until

NEEDS = ("wayland-utils",)

REACH = PROGRAMS / "reach_displays.py"


class Nested(Contained):
    def setUp(self):
        super().setUp()
        self.session = Session()
        self.addCleanup(self.session.close)
        self.session.start()
        self.workspace.environment.update(self.session.variables)

    def nested(self, *command, **options):
        return self.contained(*command, options=["--nested"], **options)

    def await_programs(self, count):
        wait_until(
            lambda: self.workspace.account()["containedPrograms"] == count,
            message=f"there are not {count} contained programs")

    @contextlib.contextmanager
    def started(self, *command):
        """A nested program, and its compositor's process."""
        self.await_programs(0)
        child = subprocess.Popen(
            self.words(*command, options=["--nested"]), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.workspace.environment)
        try:
            wait_until(lambda: compositors(child.pid), message="no compositor was started")
            (compositor,) = compositors(child.pid)
            self.await_programs(1)
            yield child, compositor
        finally:
            child.kill()
            child.wait()


def compositors(process):
    """Weston's processes that this one has started, and that have not ended."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            name, fields = status.read_text().rsplit(")", 1)
            state, parent = fields.split()[:2]
            if name.endswith("(weston") and int(parent) == process and state != "Z":
                found.append(int(status.parent.name))
    return found


def socket_names(process, part):
    """Of its sockets, those that have this part."""
    inodes = {
        name.removeprefix("socket:[").removesuffix("]") for name in open_files(process)}
    # Names are bytes; other programs' need be no text.
    with open("/proc/net/unix", errors="surrogateescape") as sockets:
        fields = [line.split() for line in sockets]
    return {words[7] for words in fields[1:] if words[6] in inodes and part in " ".join(words[7:])}


def runs(process):
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


class Clipboards(Nested):
    def test_neither_has_the_others(self):
        self.session.copy("from outside")
        text = self.nested(
            "sh", "-c", "wl-paste; wl-copy 'a secret'; wl-paste")
        self.assertNotIn(b"from outside", text)
        self.assertIn(b"a secret", text)
        self.assertEqual(self.session.paste(), "from outside")

    def test_they_are_one_without(self):
        """The test before would find it out."""
        self.session.copy("from outside")
        self.assertIn(b"from outside", self.contained("wl-paste"))

    def test_nor_while_both_are_there(self):
        done = self.directory / "done"
        with self.started(
                "sh", "-c", "wl-copy 'a secret'; wl-paste && touch \"$1\"; sleep 60", "sh", done):
            wait_until(done.exists, message="nothing was copied inside")
            self.assertNotIn("a secret", self.session.paste())
            self.session.copy("from outside")
            self.assertEqual(self.session.paste(), "from outside")

    def test_what_it_is_offered(self):
        """No clipboard without focus, no picture of the screen but for the compositor's own."""
        told = self.nested("wayland-info").decode()
        self.assertIn("xdg_wm_base", told)
        for protocol in ("data_control", "screencopy", "export_dmabuf", "virtual_keyboard"):
            self.assertNotIn(protocol, told)


class Sockets(Nested):
    def test_its_own_alone(self):
        x11 = "/tmp/.X11-unix/X" + self.session.display.lstrip(":")
        told = json.loads(self.nested(sys.executable, REACH, self.session.socket, x11))
        refused = [str(self.session.socket), x11, "relative", "link"]
        self.assertEqual({told[name] for name in refused}, {"EACCES"}, told)
        self.assertEqual(told["abstract"], "ECONNREFUSED")
        self.assertEqual((told["own"], told["variables"]), ("connected", []))
        self.assertEqual((told["held"], told["opened"]), ([], False))

    def test_without_it_the_sessions(self):
        """The test before would find it out."""
        x11 = "/tmp/.X11-unix/X" + self.session.display.lstrip(":")
        told = json.loads(self.contained(sys.executable, REACH, self.session.socket, x11))
        self.assertEqual(told[str(self.session.socket)], "connected")
        self.assertEqual(told["variables"], ["DISPLAY"])

    def test_nobody_outside_finds_its_own(self):
        runtime = pathlib.Path(self.workspace.environment["XDG_RUNTIME_DIR"])
        before = set(runtime.iterdir())
        with self.started("sleep", "60") as (_, compositor):
            self.assertEqual(set(runtime.iterdir()), before)
            (name,) = socket_names(compositor, "mamd-nested")
            with self.refused(errno.ENOENT):
                os.stat(name)


class Lives(Nested):
    def test_it_ends_as_the_command_does(self):
        for status in (0, 3):
            self.nested("sh", "-c", f"exit {status}", status=status)
        self.nested("sh", "-c", "kill -KILL $$", status=-signal.SIGKILL)
        self.nested("/no-such-command", status=127)

    def test_the_compositor_ends_with_the_command(self):
        with self.started("sleep", "60") as (child, compositor):
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(timeout=60), -signal.SIGTERM)
            wait_until(lambda: not runs(compositor), message="the compositor runs on")

    def test_what_goes_on_in_the_background_keeps_none(self):
        hang_up, end = self.directory / "hang-up", self.directory / "end"
        waiting = 'while [ ! -e "$1" ]; do sleep 0.05; done'
        with self.started(
                "sh", "-c", 'setsid sh -c "$1" sh "$3" & sh -c "$1" sh "$2"; kill -HUP $$',
                "sh", waiting, hang_up, end) as (child, compositor):
            self.addCleanup(end.mkdir)
            hang_up.mkdir()
            self.assertEqual(child.wait(timeout=60), -signal.SIGHUP)
            wait_until(lambda: not runs(compositor), message="the compositor runs on")

    def test_the_command_ends_with_the_compositor(self):
        with self.started("sleep", "60") as (child, compositor):
            os.kill(compositor, signal.SIGKILL)
            self.assertEqual(child.wait(timeout=60), -signal.SIGTERM)

    def test_the_session_ends(self):
        with self.started("sleep", "60") as (child, _):
            self.session.programs[-1].terminate()
            self.assertEqual(child.wait(timeout=60), -signal.SIGTERM)

    def test_a_killed_front_takes_both_along(self):
        with self.started("sleep", "60") as (child, compositor):
            child.kill()
            wait_until(lambda: not runs(compositor), message="the compositor runs on")

    def test_the_compositor_is_contained(self):
        with self.started("sleep", "60") as (_, compositor):
            status = pathlib.Path(f"/proc/{compositor}/status").read_text()
            facts = dict(line.split(":\t", 1) for line in status.splitlines())
            self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"))
            places = open_files(compositor)
            self.assertFalse([place for place in places if place.startswith(
                str(self.workspace.mount_point))], places)


class Start(Contained):
    def start(self, *options, **variables):
        environment = {**self.workspace.environment, **variables}
        done = subprocess.run(
            self.words("/bin/true", options=options), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60,
            env={name: value for name, value in environment.items() if value is not None})
        return done.returncode, done.stderr

    def test_without_a_session(self):
        status, told = self.start("--nested", "--discard-output", WAYLAND_DISPLAY=None)
        self.assertEqual(status, NO)
        self.assertIn("WAYLAND_DISPLAY", told)
        self.assertIn("leave --nested out", told)

    def test_where_nobody_listens(self):
        status, told = self.start("--nested", "--discard-output", WAYLAND_DISPLAY="none-1")
        self.assertNotIn(status, (DONE, USAGE))
        self.assertIn("none-1", told)

    def test_without_a_compositor(self):
        place = self.workspace.root / "bin"
        place.mkdir()
        (place / "mamctl").symlink_to(shutil.which("mamctl"))
        status, told = self.start(
            "--nested", "--discard-output", WAYLAND_DISPLAY="wayland-1", PATH=str(place))
        self.assertEqual(status, NO)
        self.assertIn("apt-get install weston", told)

    def test_it_needs_a_contained_program(self):
        self.workspace.ctl("run", "--identity", "", "--nested", "--", "true", status=USAGE)


if __name__ == "__main__":
    import unittest

    unittest.main()
