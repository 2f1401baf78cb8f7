"""A Debian as it is after its installation, in name spaces of its own: without Swift, and without a
network.

Its base is made once, from the mirror that this machine installs from, and kept in .build. What a
test changes is in memory.
"""
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from login_bus import MORTAL
from running import PREFIX
from workspace import PROGRAMS, ROOT, wait_until

NEEDS = ("binutils", "dpkg-dev", "gettext", "go-md2man", "mmdebstrap")

# What the tests look with. None of it brings what mamd depends on.
TOOLS = (
    "bash-completion", "fish", "libglib2.0-bin", "man-db", "shared-mime-info", "systemd", "zsh")
# Whose libraries are fetched with what they need in turn, but not installed: that is apt's work in
# the test. A library's name differs between releases.
LINKED = (
    "libcurl4-openssl-dev", "libdeflate-dev", "libfuse3-dev", "libnats-dev", "libseccomp-dev",
    "libsodium-dev", "libssl-dev", "libsystemd-dev",
    *(["libipsec-mb-dev"] if os.uname().machine == "x86_64" else []))
ORDINARY = 1000


def base():
    """The directory with the new Debian. Raises RuntimeError when it cannot be made."""
    suite, mirror = release()
    directory = ROOT / ".build" / f"debian-{suite}"
    directory.parent.mkdir(exist_ok=True)
    # One of them makes it, the others wait.
    with open(directory.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        bootstrap(suite, mirror, directory, TOOLS)
        fetch(directory)
    return directory


def bootstrap(suite, mirror, directory, tools):
    """Makes it unless it is there. Raises RuntimeError when it cannot be made."""
    if directory.exists():
        return
    unfinished = directory.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    # What the tests install is gone with them: nothing need reach the disk.
    tell(
        ["mmdebstrap", "--variant=minbase", "--include=" + ",".join(tools),
         "--hook-dir=/usr/share/mmdebstrap/hooks/maybe-merged-usr", "--dpkgopt=force-unsafe-io",
         '--aptopt=Acquire::Languages "none"', suite, unfinished, mirror])
    unfinished.rename(directory)


def fetch(directory):
    """What mamd depends on, unless it is there: a base may be older than a dependency."""
    names = ["ca-certificates", "fuse3", *libraries()]
    done, all_names = directory / "fetched", " ".join(names)
    if done.exists() and done.read_text() == all_names:
        return
    for command in (["clean"], ["update"], ["install", "--download-only", "--yes", *names]):
        tell(["chroot", directory, "apt-get", "-qq", *command])
    forget_others(directory)
    done.write_text(all_names)


def forget_others(directory):
    """Of the archive's packages apt shall know those that were fetched: it reads all that it knows
    of again whenever it installs a file."""
    fetched = {
        path.name.split("_")[0] for path in (directory / "var/cache/apt/archives").glob("*.deb")}
    for index in (directory / "var/lib/apt/lists").glob("*_Packages"):
        index.write_text("\n\n".join(
            package for package in index.read_text().split("\n\n")
            if package.partition("\n")[0].removeprefix("Package: ") in fetched) + "\n")


def libraries():
    """The packages of the libraries that LINKED are for, as this machine's release has them."""
    said = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Depends}\n", *LINKED], capture_output=True, text=True,
        check=True).stdout
    names = {dependency.split()[0] for dependency in said.replace("\n", ",").split(",")
             if dependency.strip()}
    return sorted(name for name in names if name.startswith("lib") and not name.endswith("-dev"))


def release():
    """The name of this machine's Debian, and the mirror that it has it from."""
    said = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(RELEASE) $(SITE)", "Created-By: Packages",
        "Origin: Debian"],
        capture_output=True, text=True).stdout
    for line in said.splitlines():
        suite, _, mirror = line.partition(" ")
        if suite and "-" not in suite:
            return suite, mirror
    raise RuntimeError("apt knows no mirror of Debian's")


def tell(command):
    result = subprocess.run(
        [*map(os.fspath, command)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C",
        "DEBIAN_FRONTEND": "noninteractive"})
    if result.returncode != 0:
        raise RuntimeError(
            f"{command[0]}: status {result.returncode}: {(result.stdout + result.stderr)[-2000:]}")


class FreshDebian:
    """`shared`: a directory on this machine's disk, there at /shared."""

    def __init__(self, root_before=None, has_network=False):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.place.chmod(0o755)
        self.shared, root = self.place / "shared", self.place / "root"
        for directory in (self.shared, root):
            directory.mkdir()
        apart = ["--mount", "--pid", *([] if has_network else ["--net"])]
        self.process = subprocess.Popen(
            [*MORTAL, "unshare", *apart, "--fork", "--kill-child", "--propagation", "private",
             "sh", PROGRAMS / "fresh_debian.sh", root_before or base(), root, self.shared],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_until(
            lambda: self.process.poll() is not None or self.is_up(),
            message="the new root does not come up")
        if self.process.poll() is not None:
            raise RuntimeError(self.process.stderr.read())

    def is_up(self):
        children = pathlib.Path(
            f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.init = children[0] if children else None
        return self.init and pathlib.Path(f"/proc/{self.init}/comm").read_text() == "sleep\n"

    def run(self, *command, user=0, status=0, timeout=600):
        """Runs a command there. `status` None: any."""
        home = "/root" if user == 0 else "/shared/home"
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": home,
            "TERM": "dumb"}
        if user:
            environment["XDG_RUNTIME_DIR"] = "/shared/runtime"
        as_user = [
            "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"] if user else []
        result = subprocess.run(
            ["nsenter", "-t", self.init, "-m", "-p", "-n", "-r", "-w", "--", *as_user,
            *map(os.fspath, command)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
            env=environment)
        if status is not None and result.returncode != status:
            raise AssertionError(
                f"{command}: status {result.returncode}, not "
                f"{status}\n{result.stdout}{result.stderr}")
        return result

    def close(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stderr.close()
        shutil.rmtree(self.place, ignore_errors=True)
