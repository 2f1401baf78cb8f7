"""Changes modes and owners of files below the directory, and looks whether they are as they
should be. Run contained."""
import ctypes
import errno
import os
import stat
import sys
import threading

libc = ctypes.CDLL(None, use_errno=True)
directory = sys.argv[1]
path = os.path.join(directory, "its-mode")
file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
place = os.open(directory, os.O_PATH)
os.symlink("its-mode", path + "-link")
os.chdir(directory)


def expect(mode):
    told = stat.S_IMODE(os.stat(path).st_mode)
    assert told == mode, f"{told:o}, not {mode:o}"


def call(number, *arguments):
    if libc.syscall(number, *arguments) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def call_fchmodat2(directory, name, mode, flags):
    try:
        call(452, directory, name, mode, flags)
    except OSError as error:
        # Debian 12's kernel.
        if error.errno != errno.ENOSYS:
            raise
        os.chmod(path, mode)


def error_of(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except OSError as error:
        return error.errno
    return None


for mode, change in enumerate([
        lambda mode: os.chmod(path, mode),
        lambda mode: os.chmod("its-mode", mode),
        lambda mode: os.chmod("its-mode-link", mode),
        lambda mode: os.fchmod(file, mode),
        lambda mode: os.chmod("its-mode", mode, dir_fd=place),
        lambda mode: os.chmod(f"/proc/self/fd/{file}", mode),
        lambda mode: call_fchmodat2(place, b"its-mode", mode, 0),
        lambda mode: call_fchmodat2(file, b"", mode, 0x1000),
], 0o600):
    change(mode)
    expect(mode)

# From another thread, whose number is not its process's.
thread = threading.Thread(target=os.chmod, args=(path, 0o640))
thread.start()
thread.join()
expect(0o640)

own = os.getuid(), os.getgid()
os.chown(path, *own)
os.chown("its-mode", -1, own[1], dir_fd=place)
os.lchown("its-mode-link", *own)
os.fchown(file, *own)
call(260, file, b"", *own, 0x1000)

assert error_of(os.chmod, "nothing", 0o600) == errno.ENOENT
assert error_of(os.chmod, "its-mode/below", 0o600) == errno.ENOTDIR
assert error_of(os.fchmod, 999, 0o600) == errno.EBADF
assert error_of(call, 452, -100, b"its-mode", 0o600, 0x40000) in (errno.EINVAL, errno.ENOSYS)
assert error_of(call, 90, b"", 0o600) == errno.ENOENT
assert error_of(call, 90, None, 0o600) == errno.EFAULT
assert error_of(os.chmod, "x/" * 2048 + "x", 0o600) == errno.ENAMETOOLONG
expect(0o640)
