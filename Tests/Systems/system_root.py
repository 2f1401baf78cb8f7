"""The root of a release of Debian, with this machine's kernel and its Swift."""
import os
import pathlib
import shutil
import subprocess
import sys

import fresh_debian
from workspace import ROOT

SOURCE = "/src/mamd"
# What scripts/setup and git need before it runs.
TOOLS = ("ca-certificates", "git", "systemd", "dbus", "procps", "iproute2", "kmod")
# What Swift's programs are linked with, and what they link.
TOOLCHAIN = ("g++", "libedit2", "libncurses6", "libsqlite3-0", "libxml2", "tzdata")
ENTER = pathlib.Path(__file__).with_name("enter_root.sh")


class Unsuccessful(Exception):
    """A command there failed; its output has been shown."""


class SystemRoot:
    """`pristine` is as mmdebstrap made it; `root` has what setup installs, and the clone."""

    def __init__(self, suite, directory):
        self.suite = suite
        self.pristine, self.root = directory / "pristine", directory / "root"
        swift = shutil.which("swift")
        if not swift:
            raise RuntimeError("no swift found in PATH")
        # …/usr/bin/swift: the toolchain is what contains usr.
        self.swift = pathlib.Path(swift).resolve().parents[2]
        directory.mkdir(parents=True, exist_ok=True)
        _, mirror = fresh_debian.release()
        fresh_debian.bootstrap(suite, mirror, self.pristine, TOOLS)
        if not self.root.exists():
            unfinished = self.root.with_suffix(".new")
            shutil.rmtree(unfinished, ignore_errors=True)
            fresh_debian.tell(["cp", "-a", self.pristine, unfinished])
            refuse_services(unfinished)
            unfinished.rename(self.root)
        self.run(
            "env", "DEBIAN_FRONTEND=noninteractive", "sh", "-c",
            'dpkg-query -W "$@" >/dev/null 2>&1 || { apt-get -qq update && apt-get -qq install '
            '--no-install-recommends "$@"; }', "sh", *TOOLCHAIN)

    def clone(self):
        """The last commit; what an earlier run has built stays."""
        place = self.root / SOURCE.lstrip("/")
        if not (place / ".git").exists():
            fresh_debian.tell(["git", "clone", "--quiet", "--no-local", ROOT, place])
        git = ["git", "-C", place]
        fresh_debian.tell([*git, "fetch", "--quiet", ROOT, "HEAD"])
        fresh_debian.tell([*git, "reset", "--quiet", "--hard", "FETCH_HEAD"])
        fresh_debian.tell([*git, "clean", "--quiet", "-fdx", "--exclude", ".build"])
        # From PyPI, as this machine is configured to reach it; they have no machine code.
        shutil.copytree(
            ROOT / ".build" / "python", place / ".build" / "python", dirs_exist_ok=True)

    def run(self, *command, check=True):
        """Its standard output; what else it says is shown at once."""
        said = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private",
             "sh", ENTER, self.root, self.swift, *map(os.fspath, command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=self.environment())
        sys.stderr.write(said.stdout)
        if check and said.returncode != 0:
            raise Unsuccessful(f"{command[0]}: status {said.returncode}")
        return said.stdout

    def environment(self):
        ours = {name: text for name, text in os.environ.items() if name.startswith("MAMD_")}
        return {
            **ours, "HOME": "/root", "LC_ALL": "C.UTF-8",
            "PATH": f"{self.swift}/usr/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"}


def refuse_services(root):
    """There is no process 1 that could start them."""
    policy = root / "usr" / "sbin" / "policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
