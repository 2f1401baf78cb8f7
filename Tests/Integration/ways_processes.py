"""Ways out of a contained program: other processes."""
import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct

from ways import FACTS, SECRET, Refused, libc, outside, put, request, syscall, way


@way
def trace_a_process():
    if libc.ptrace(16, FACTS["process"], 0, 0) < 0:  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), "ptrace")


@way
def write_memory_of_a_process():
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    mine = Vector(ctypes.cast(SECRET, ctypes.c_void_p), len(SECRET))
    theirs = Vector(FACTS["address"], len(SECRET))
    syscall(311, FACTS["process"], ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)


@way
def open_memory_of_a_process():
    put(f"/proc/{FACTS['process']}/mem", os.O_WRONLY)


@way
def follow_the_root_of_a_process():
    put(f"/proc/{FACTS['process']}/root{outside('by-root')}", os.O_WRONLY | os.O_CREAT)


@way
def follow_the_directory_of_a_process():
    put(f"/proc/{FACTS['process']}/cwd/by-cwd", os.O_WRONLY | os.O_CREAT)


@way
def open_a_descriptor_of_a_process():
    put(f"/proc/{FACTS['process']}/fd/{FACTS['descriptor']}", os.O_WRONLY)


@way
def get_a_descriptor_of_a_process():
    os.write(syscall(438, os.pidfd_open(FACTS["process"]), FACTS["descriptor"], 0), SECRET)


@way
def set_limits_of_a_process():
    import resource
    resource.prlimit(FACTS["process"], resource.RLIMIT_MSGQUEUE, (4711, 4711))


@way
def set_the_processors_of_a_process():
    os.sched_setaffinity(FACTS["process"], {0})


@way
def set_the_priority_of_a_process():
    os.setpriority(os.PRIO_PROCESS, FACTS["process"], 7)


@way
def set_the_disk_priority_of_a_process():
    syscall(251, 1, FACTS["process"], 0x4007)  # ioprio_set


@way
def set_the_priority_of_a_user():
    os.setpriority(os.PRIO_USER, os.getuid(), 1)


@way
def set_the_priority_of_a_group():
    os.setpriority(os.PRIO_PGRP, 0, 1)


@way
def set_the_disk_priority_of_a_user():
    syscall(251, 3, os.getuid(), 0x4007)  # ioprio_set


@way
def set_the_disk_priority_of_a_group():
    syscall(251, 2, 0, 0x4007)


@way
def invite_a_debugger():
    if libc.prctl(0x59616d61, FACTS["process"], 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "prctl")


@way
def signal_a_process():
    os.kill(FACTS["process"], signal.SIGUSR1)


@way
def signal_by_descriptor():
    signal.pidfd_send_signal(os.pidfd_open(FACTS["process"]), signal.SIGUSR1)


@way
def signal_a_thread_of_a_process():
    syscall(200, FACTS["process"], signal.SIGUSR1)  # tkill


@way
def signal_a_process_and_its_thread():
    syscall(234, FACTS["process"], FACTS["process"], signal.SIGUSR1)  # tgkill


def queue(call, *whom):
    """With a value; si_code is SI_QUEUE."""
    about = bytearray(128)
    about[0:4], about[8:12] = b"\x0a\0\0\0", b"\xff\xff\xff\xff"
    syscall(call, *whom, signal.SIGUSR1, (ctypes.c_char * 128).from_buffer(about))


@way
def queue_a_signal():
    queue(129, FACTS["process"])  # rt_sigqueueinfo


@way
def queue_a_signal_for_a_thread():
    queue(297, FACTS["process"], FACTS["process"])  # rt_tgsigqueueinfo


SUPERVISOR = os.getppid()


@way
def kill_the_supervisor():
    os.kill(SUPERVISOR, signal.SIGKILL)


@way
def kill_the_supervisors_group():
    os.killpg(SUPERVISOR, signal.SIGKILL)


@way
def kill_the_supervisor_by_its_threads():
    refused = 0
    for thread in os.listdir(f"/proc/{SUPERVISOR}/task"):
        for call, whom in (
                (62, (int(thread),)), (200, (int(thread),)), (234, (SUPERVISOR, int(thread)))):
            try:
                syscall(call, *whom, signal.SIGKILL)
            except PermissionError:
                refused += 1
    if refused < 3:
        return
    raise Refused(f"{refused} times")


@way
def kill_the_supervisor_by_descriptor():
    signal.pidfd_send_signal(os.pidfd_open(SUPERVISOR), signal.SIGKILL)


@way
def join_the_supervisors_group():
    os.setpgid(0, SUPERVISOR)


@way
def have_the_kernel_kill_the_supervisor():
    """When something can be read from a pipe that is said to be the supervisor's."""
    reader, writer = os.pipe()
    with open(reader, "rb"), open(writer, "wb", buffering=0) as file:
        fcntl.fcntl(reader, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(reader, fcntl.F_SETOWN, SUPERVISOR)
        fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)
        file.write(b"x")
    if os.path.exists(f"/proc/{SUPERVISOR}"):
        raise Refused("it lives")


def is_signalled(process):
    """Whether a signal is on its way, or has ended it."""
    with contextlib.suppress(FileNotFoundError), open(f"/proc/{process}/status") as file:
        facts = dict(line.split(":", 1) for line in file)
        return facts["State"].strip()[0] in "ZX" or any(
            int(facts[word], 16) for word in ("SigPnd", "ShdPnd"))
    return True


def signal_the_owner(give):
    """When something can be read from a socket that is said to be another process's."""
    one, other = socket.socketpair()
    with one, other:
        give(one.fileno(), FACTS["process"])
        fcntl.fcntl(one, fcntl.F_SETFL, fcntl.fcntl(one, fcntl.F_GETFL) | os.O_ASYNC)
        other.send(b"x")
    if not is_signalled(FACTS["process"]):
        raise Refused("it got no signal")


@way
def signal_the_owner_of_a_socket():
    signal_the_owner(lambda file, owner: fcntl.fcntl(file, fcntl.F_SETOWN, owner))


@way
def signal_the_owner_of_a_socket_by_a_request():
    # SIOCSPGRP
    signal_the_owner(lambda file, owner: fcntl.ioctl(file, 0x8902, struct.pack("i", owner)))


@way
def signal_the_owner_of_a_socket_by_a_newer_request():
    # FIOSETOWN
    signal_the_owner(lambda file, owner: fcntl.ioctl(file, 0x8901, struct.pack("i", owner)))


@way
def signal_the_owner_of_a_socket_by_its_kind():
    # F_SETOWN_EX with F_OWNER_PID
    signal_the_owner(lambda file, owner: fcntl.fcntl(file, 15, struct.pack("ii", 1, owner)))


@way
def write_to_another_terminal():
    put(FACTS["terminal"], os.O_WRONLY | os.O_NOCTTY)


@way
def take_another_terminal():
    """Who begins a session has the first terminal that it opens, if it is nobody's, as /dev/tty."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            os.setsid()
            os.open(FACTS["terminal"], os.O_RDONLY)
            put("/dev/tty")
            os.write(writer, b"OUT")
        finally:
            os._exit(0)
    os.close(writer)
    os.wait()
    with open(reader, "rb") as told:
        if not told.read():
            raise Refused("it has no terminal")


@way
def read_another_terminal():
    os.open(FACTS["terminal"], os.O_RDONLY | os.O_NOCTTY)


@way
def type_into_the_own_terminal():
    fcntl.ioctl(1, 0x5412, b"x")  # TIOCSTI


def terminal_request(number, argument=0):
    fcntl.ioctl(os.open("/dev/ptmx", os.O_RDONLY | os.O_NOCTTY), number, argument)


@way
def open_a_master():
    os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)


@way
def unlock_a_terminal_of_its_own():
    terminal_request(0x40045431, bytearray(4))  # TIOCSPTLCK


@way
def open_a_terminal_by_its_master():
    master = os.open("/dev/ptmx", os.O_RDONLY | os.O_NOCTTY)
    with contextlib.suppress(OSError):
        fcntl.ioctl(master, 0x40045431, bytearray(4))  # TIOCSPTLCK
    fcntl.ioctl(master, 0x5441, os.O_RDWR)  # TIOCGPTPEER


@way
def number_a_terminal_of_its_own():
    terminal_request(0x80045430, bytearray(4))  # TIOCGPTN


@way
def take_the_console():
    fcntl.ioctl(1, 0x541d)  # TIOCCONS


@way
def set_a_line_discipline():
    fcntl.ioctl(1, 0x5423, bytearray(4))  # TIOCSETD


@way
def make_an_interface():
    request(0x400454ca, 40, "/dev/net/tun" if os.path.exists("/dev/net/tun") else None)


@way
def make_an_interface_that_stays():
    request(0x400454cb, 40)  # TUNSETPERSIST


@way
def make_a_keyboard():
    fcntl.ioctl(1, 0x5501)  # UI_DEV_CREATE


@way
def use_an_inherited_descriptor():
    # The directory that is listed is one more.
    more = [number for number in map(int, os.listdir("/proc/self/fd")) if number > 2]
    for number in more:
        try:
            os.write(number, SECRET)
            return
        except OSError:
            pass
    raise Refused("none that can be written to")


@way
def be_dumped_by_the_kernel():
    import resource
    if resource.getrlimit(resource.RLIMIT_CORE) == (1, 1):
        raise Refused("RLIMIT_CORE is 1")


@way
def lower_the_limit_of_dumps():
    """Below 1, the kernel starts a program for dumps that gets all of the memory."""
    import resource
    for lower in (lambda: syscall(160, resource.RLIMIT_CORE, (ctypes.c_ulong * 2)(0, 1)),
                  lambda: resource.prlimit(0, resource.RLIMIT_CORE, (0, 1)),
                  lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))):
        with contextlib.suppress(OSError, ValueError):
            lower()
    be_dumped_by_the_kernel()
