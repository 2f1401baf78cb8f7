"""Ways out of a contained program: programs that run outside, or with more rights."""
import errno
import os

from ways import PLAN, WORKSPACE, Refused, command, outside, put, way


@way
def run_at():
    command("at", "now", input=b"touch " + outside("at").encode(), stdin=None)


@way
def run_by_cron():
    command("crontab", "-", input=b"* * * * * true\n", stdin=None)


@way
def run_by_systemd():
    command("systemd-run", "--user", "touch", outside("systemd"))


@way
def run_by_the_systems_systemd():
    command("systemd-run", "touch", outside("systemd"))


@way
def run_with_sudo():
    command("su", "-c", f"touch {outside('su')}")
    if not os.path.exists(outside("su")):
        raise Refused("no file")


@way
def run_in_a_container():
    command("docker", "run", "debian")


@way
def run_from_memory():
    memory = os.memfd_create("program")
    with open("/bin/cp", "rb") as program:
        os.write(memory, program.read())
    command(f"/proc/self/fd/{memory}", PLAN, outside("memory"), pass_fds=[memory])


@way
def run_with_a_library():
    command("cp", PLAN, outside("preloaded"), env={**os.environ, "LD_PRELOAD": "libm.so.6"})


@way
def run_by_git():
    place = os.path.join(WORKSPACE, "repository")
    command("git", "init", "-q", place)
    hook = os.path.join(place, ".git", "hooks", "post-commit")
    with open(hook, "w") as file:
        file.write(f"#!/bin/sh\ncp {PLAN} {outside('git')}\n")
    os.chmod(hook, 0o700)
    command("git", "-C", place, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q",
            "--allow-empty", "-m", "x")
    if not os.path.exists(outside("git")):
        raise Refused("the hook could not")


@way
def orphan():
    """What nobody waits for any more is contained too."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            try:
                put(outside("orphan"), os.O_WRONLY | os.O_CREAT)
                os.write(writer, b"OUT")
            except OSError as error:
                os.write(writer, errno.errorcode[error.errno].encode())
        os._exit(0)
    os.close(writer)
    found = os.read(reader, 100)
    if found != b"OUT":
        raise Refused(found.decode())
