"""What root needs to run the programs as an ordinary user."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from running import PREFIX
from workspace import ROOT

NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


@contextlib.contextmanager
def programs_for_all(*others):
    """A directory that any user can read, with the programs (and others), these tests and the
    documents."""
    place = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        (place / "bin").mkdir()
        for program in ("mamd", "mamctl", *others):
            shutil.copy2(shutil.which(program), place / "bin" / program)
        shutil.copytree(
            ROOT / "Tests" / "Integration", place / "Tests" / "Integration",
            ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy2(ROOT / "Tests" / "decoder.py", place / "Tests")
        shutil.copytree(ROOT / "docs", place / "docs")
        (place / "device").mkdir()
        subprocess.run(["chmod", "-R", "a+rX", place], check=True)
        chown_tree(place)  # tests may write there: what they build is in .build
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def with_fuse_device(mode, place, command):
    """The command in a mount name space where /dev/fuse has this mode: the machine's stays as it
    is."""
    script = (
        f'mount -t tmpfs -o mode=0755 none "$1" && mknod "$1/fuse" c 10 229 && chmod {mode:o} '
        f'"$1/fuse" && '
        'mount --bind "$1/fuse" /dev/fuse && shift && exec "$@"')
    return ("unshare", "--mount", "sh", "-c", script, "sh", str(place / "device"), *command)


def chown_tree(root, uid=NOBODY):
    for directory, folders, names in os.walk(root):
        for name in [".", *folders, *names]:
            os.chown(os.path.join(directory, name), uid, uid)
