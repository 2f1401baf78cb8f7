"""What an attacker that has taken over the daemon of a unit tries: a program that the tests have it
run as a hook.

Prints one JSON object: attack → how it ended. "through" is success.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import socket
import subprocess
import sys

NOBODY = 65534
PTRACE_ATTACH, PR_SET_KEEPCAPS = 16, 8
libc = ctypes.CDLL(None, use_errno=True)
attacks = {}


def attack(function):
    attacks[function.__name__] = function
    return function


def processes(uid):
    """Sleeping programs of a user's, outside."""
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if (place / "comm").read_text() == "sleep\n" and place.stat().st_uid == uid:
                yield int(place.name)


def check(status):
    if status < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


@attack
def root_of_process_1():
    pathlib.Path("/proc/1/root/etc/machine-id").read_bytes()


@attack
def root_of_a_user():
    """As that user, with the rights to read and write whatever there is."""
    pid = next(processes(NOBODY))
    check(libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.listdir(f"/proc/{pid}/root/")


@attack
def memory_of_a_service():
    with open(f"/proc/{next(processes(0))}/mem", "rb") as memory:
        memory.fileno()


@attack
def trace():
    check(libc.ptrace(PTRACE_ATTACH, next(processes(0)), None, None))


@attack
def read_memory():
    check(libc.process_vm_readv(next(processes(0)), None, 0, None, 0, 0))


@attack
def kill():
    os.kill(next(processes(0)), 0)


@attack
def name_space_of_process_1():
    run("nsenter", "--target", "1", "--mount", "true")


@attack
def new_name_space():
    run("unshare", "--mount", "true")


@attack
def mount():
    run("mount", "-t", "tmpfs", "none", "/mnt")


@attack
def transient_unit():
    run("systemd-run", "--quiet", "--wait", "--collect", "true")


@attack
def transient_unit_by_the_relay():
    """What the daemon has in place of the bus is asked for more than logind's news."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("/run/mamd-logins/socket")
        client.settimeout(5)
        client.sendall(b"sleep\norg.freedesktop.systemd1 StartUnit local-fs.target\n")
        if client.recv(100) == b"":
            raise PermissionError("it hung up")


@attack
def private_socket_of_systemd():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("/run/systemd/private")


@attack
def system_bus():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect("/run/dbus/system_bus_socket")


@attack
def crontab():
    place = pathlib.Path("/var/spool/cron/crontabs")
    place.mkdir(parents=True, exist_ok=True)
    (place / "root").write_text("* * * * * root true\n")


@attack
def login_files_of_root():
    pathlib.Path("/root/.bashrc").write_text("true\n")


@attack
def unit_file():
    pathlib.Path("/run/systemd/system/more.service").write_text("[Service]\nExecStart=true\n")


@attack
def keys_of_another_workspace():
    pathlib.Path("/var/lib/mamd/other/device-secret").write_bytes(bytes(32))


@attack
def disk():
    os.mknod("disk", 0o600 | 0o060000, os.makedev(7, 0))
    os.close(os.open("disk", os.O_RDWR))


@attack
def network():
    socket.socket(socket.AF_INET).close()


def outcome(name):
    """In a process of its own: some change its user."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            attacks[name]()
            os.write(writer, b"through")
        except subprocess.CalledProcessError as problem:
            os.write(writer, (problem.stderr.strip() or b"refused")[-200:])
        except BaseException as problem:  # the child ends here
            os.write(writer, repr(problem).encode()[:200])
        finally:
            os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        text = pipe.read().decode(errors="replace")
    os.waitpid(child, 0)
    return text


if __name__ == "__main__":
    found = {name: outcome(name) for name in attacks}
    with open(sys.argv[1], "w") as file:
        json.dump(found, file)
