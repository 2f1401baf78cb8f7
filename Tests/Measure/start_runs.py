"""Single starts, and what is done to a mount to see what its daemon keeps of it."""
import os
import shutil
import subprocess
import time


def run_to_end(*command, environment=None):
    """Seconds from spawning a program to its end."""
    environment = environment or dict(os.environ)
    path = shutil.which(command[0], path=environment["PATH"])
    null = os.open("/dev/null", os.O_RDWR)
    try:
        words = [os.fspath(word) for word in command]
        start = time.perf_counter()
        process = os.posix_spawn(
            path, words, environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, null, number) for number in range(3)])
        _, status = os.waitpid(process, 0)
        taken = time.perf_counter() - start
    finally:
        os.close(null)
    if status != 0:
        raise RuntimeError(f"{' '.join(words)}: status {os.waitstatus_to_exitcode(status)}")
    return taken


class Daemon:
    """mamd without mamctl, so that its time is its own."""

    def __init__(self, workspace):
        self.workspace = workspace
        self.program = shutil.which("mamd", path=workspace.environment["PATH"])

    def start(self):
        """Seconds until it says that it serves."""
        reader, writer = os.pipe()
        words = [
            self.program, "-f", "--ready-fd", str(writer), "--", self.workspace.backing,
            self.workspace.mount_point]
        with open(self.workspace.log, "ab") as log:
            start = time.perf_counter()
            self.process = subprocess.Popen(
                [*map(os.fspath, words)], env=self.workspace.environment, pass_fds=[writer],
                stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
            os.close(writer)
            answer = os.read(reader, 1)
        taken = time.perf_counter() - start
        os.close(reader)
        if answer != b"+":
            raise RuntimeError(self.workspace.log.read_text(errors="replace"))
        return taken

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def once(self):
        taken = self.start()
        self.stop()
        return taken


def make_files(directory, count):
    for number in range(count):
        place = directory / str(number // 100)
        place.mkdir(exist_ok=True)
        (place / str(number)).write_bytes(b"content\n" * 100)


def walk(directory):
    """As `ls -lR` does."""
    for place, _, names in os.walk(directory):
        for name in names:
            os.lstat(os.path.join(place, name))


def read_all(directory):
    for path in directory.rglob("*"):
        if path.is_file():
            path.read_bytes()


def settle():
    """A daemon's threads have come up, and the kernel has counted them."""
    time.sleep(1)
