"""Runs contained, and tries to move the content of a file in the workspace out, in every way that
we could think of. Prints a line for each: its name, a tab, and `refused` with the error or `OUT`.

Its first argument is a JSON file that the test outside wrote: where things are outside. With more
arguments it tries these ways alone.
"""
import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading

NEEDS = ("acl", "git", "gcc", "libglib2.0-bin", "systemd")

FACTS = json.load(open(sys.argv[1]))
OUTSIDE, PLAN, WORKSPACE = FACTS["outside"], FACTS["plan"], FACTS["workspace"]
SECRET = open(PLAN, "rb").read()
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
ways = {}


class Refused(Exception):
    """In a way that is no error of the system's."""


def way(function):
    ways[function.__name__] = function
    return function


def outside(name):
    return os.path.join(OUTSIDE, name)


def syscall(number, *arguments):
    """x86_64's numbers."""
    # On the stack an int would have garbage beside it.
    result = libc.syscall(*(
        ctypes.c_long(word) if isinstance(word, int) else word for word in (number, *arguments)))
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def command(*words, **options):
    """Refused if it fails."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 20, **options}
    try:
        done = subprocess.run(words, **options)
    except FileNotFoundError:
        raise Refused(f"there is no {words[0]}") from None
    except subprocess.TimeoutExpired:
        raise Refused("it did not end") from None
    if done.returncode != 0:
        raise Refused(f"status {done.returncode}: {(done.stderr or b'')[-60:]!r}")


def request(number, size=256, path=None):
    """ioctl(2) on a file outside that is open for reading."""
    file = os.open(path or outside("kept"), os.O_RDONLY)
    try:
        fcntl.ioctl(file, number, bytearray(size))
    finally:
        os.close(file)


def put(path, flags=os.O_WRONLY):
    file = os.open(path, flags, 0o600)
    os.write(file, SECRET)
    os.close(file)


# Names and content of files


@way
def create_a_file():
    put(outside("new"), os.O_WRONLY | os.O_CREAT)


@way
def append_to_a_file():
    put(outside("kept"), os.O_WRONLY | os.O_APPEND)


@way
def open_for_both():
    put(outside("kept"), os.O_RDWR)


@way
def map_a_file_shared():
    file = os.open(outside("kept"), os.O_RDWR)
    mmap.mmap(file, 4096)[:len(SECRET)] = SECRET


@way
def map_a_file_that_is_open_for_reading():
    mmap.mmap(os.open(outside("kept"), os.O_RDONLY), 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE)


@way
def truncate_a_file():
    os.truncate(outside("kept"), 1)


@way
def truncate_while_opening():
    os.open(outside("kept"), os.O_RDONLY | os.O_TRUNC)


@way
def link_out():
    os.link(PLAN, outside("linked"))


@way
def rename_out():
    os.rename(FACTS["second"], outside("renamed"))


@way
def rename_a_file_outside():
    os.rename(outside("kept"), outside(SECRET.decode()[:60]))


@way
def make_a_symbolic_link():
    os.symlink(SECRET[:60], outside("symbolic"))


@way
def make_a_directory():
    os.mkdir(outside(SECRET.decode()[:60]))


@way
def make_a_node():
    os.mknod(outside("node"))


@way
def make_a_fifo():
    os.mkfifo(outside("made-fifo"))


@way
def remove_a_file():
    os.unlink(outside("kept"))


@way
def remove_a_directory():
    os.rmdir(outside("empty"))


@way
def make_a_file_without_a_name():
    put(OUTSIDE, os.O_WRONLY | os.O_TMPFILE)


@way
def write_to_tmp():
    put(FACTS["leaks"][0], os.O_WRONLY | os.O_CREAT)


@way
def write_to_shared_memory():
    put(FACTS["leaks"][1], os.O_WRONLY | os.O_CREAT)


@way
def write_at_home():
    put(os.path.join(os.path.expanduser("~"), ".mamd-leak"), os.O_WRONLY | os.O_CREAT)


@way
def copy_with_cp():
    command("cp", PLAN, outside("copied"))


@way
def copy_with_dd():
    command("dd", f"if={PLAN}", f"of={outside('dd')}")


@way
def archive_with_tar():
    command("tar", "-cf", outside("tar"), PLAN)


@way
def copy_file_range():
    target = os.open(outside("range"), os.O_WRONLY | os.O_CREAT)
    os.copy_file_range(os.open(PLAN, os.O_RDONLY), target, 100)


@way
def write_to_a_fifo():
    put(outside("fifo"), os.O_WRONLY | os.O_NONBLOCK)


# Attributes


@way
def set_an_attribute():
    os.setxattr(outside("kept"), "user.leak", SECRET)


@way
def set_an_attribute_of_a_link():
    os.setxattr(outside("kept"), "user.leak", SECRET, follow_symlinks=False)


@way
def set_an_attribute_of_an_open_file():
    os.setxattr(os.open(outside("kept"), os.O_RDONLY), "user.leak", SECRET)


@way
def set_an_attribute_with_setxattrat():
    arguments = (ctypes.c_uint64 * 2)(ctypes.cast(SECRET, ctypes.c_void_p).value, len(SECRET))
    syscall(463, -100, outside("kept").encode(), 0, b"user.leak", arguments, 16)


@way
def remove_an_attribute():
    os.removexattr(outside("kept"), "user.kept")


@way
def remove_an_attribute_of_a_link():
    os.removexattr(outside("kept"), "user.kept", follow_symlinks=False)


@way
def remove_an_attribute_of_an_open_file():
    os.removexattr(os.open(outside("kept"), os.O_RDONLY), "user.kept")


@way
def remove_an_attribute_with_removexattrat():
    syscall(466, -100, outside("kept").encode(), 0, b"user.kept")


def found(name, flags=os.O_RDONLY):
    return os.open(outside(name), flags)


@way
def set_a_mode():
    os.chmod(outside("kept"), 0o604)


@way
def set_a_mode_by_descriptor():
    os.fchmod(found("kept"), 0o604)


@way
def set_a_mode_by_a_descriptor_of_the_path():
    os.chmod(f"/proc/self/fd/{found('kept', os.O_PATH)}", 0o604)


@way
def set_a_mode_through_a_link_in_the_workspace():
    link = os.path.join(WORKSPACE, "to-kept")
    os.symlink(outside("kept"), link)
    try:
        os.chmod(link, 0o604)
    finally:
        os.unlink(link)


@way
def set_a_mode_from_a_directory():
    os.chmod("kept", 0o604, dir_fd=found("", os.O_PATH))


@way
def set_a_mode_with_fchmodat2():
    syscall(452, -100, outside("kept").encode(), 0o604, 0)


@way
def set_a_mode_of_an_empty_path():
    syscall(452, found("kept", os.O_PATH), b"", 0o604, 0x1000)


@way
def set_a_mode_of_a_directory():
    os.chmod(outside("empty"), 0o777)


@way
def set_the_set_user_id_bit():
    os.chmod(outside("kept"), 0o4755)


@way
def create_with_the_set_user_id_bit():
    os.close(os.open(outside("set-id"), os.O_WRONLY | os.O_CREAT, 0o4755))


@way
def open_the_state_directory():
    os.chmod(os.path.dirname(FACTS["passfile"]), 0o777)


@way
def exchange_the_file_while_its_mode_is_set():
    """The supervisor finds and changes one and the same file."""
    inside, name = os.path.join(WORKSPACE, "inside"), os.path.join(WORKSPACE, "either")
    open(inside, "w").close()
    ended = threading.Event()

    def exchange():
        for turn in range(10 ** 9):
            os.symlink((inside, outside("kept"))[turn % 2], name + "-next")
            os.rename(name + "-next", name)
            if ended.is_set():
                return

    threading.Thread(target=exchange, daemon=True).start()
    done = 0
    for _ in range(300):
        with contextlib.suppress(PermissionError, FileNotFoundError):
            os.chmod(name, 0o604)
            done += 1
    ended.set()
    if os.stat(outside("kept")).st_mode & 0o777 != 0o604:
        raise Refused(f"of 300 calls {done} changed the file inside")


@way
def give_a_file_to_a_group():
    os.chown(outside("kept"), -1, os.getgid())


@way
def give_a_file_away():
    os.chown(outside("kept"), os.getuid(), -1)


@way
def give_a_link_away():
    os.lchown(outside("kept"), os.getuid(), os.getgid())


@way
def give_a_file_away_by_descriptor():
    os.fchown(found("kept"), os.getuid(), os.getgid())


@way
def give_a_file_away_with_fchownat():
    os.chown("kept", os.getuid(), os.getgid(), dir_fd=found("", os.O_PATH))


@way
def give_a_file_away_by_an_empty_path():
    syscall(260, found("kept", os.O_PATH), b"", os.getuid(), os.getgid(), 0x1000)


@way
def set_an_acl():
    command("setfacl", "-m", "u:1234:r", outside("kept"))


@way
def set_file_attributes():
    syscall(469, -100, outside("kept").encode(), ctypes.create_string_buffer(24), 24, 0)


# What file systems keep for an ioctl(2), without a descriptor that can be written to


@way
def set_the_flags_of_a_file():
    request(0x40086602, 8)  # FS_IOC_SETFLAGS


@way
def set_the_version_of_a_file():
    request(0x40087602, 8)  # FS_IOC_SETVERSION


@way
def set_the_version_of_a_file_of_ext4():
    request(0x40086604, 8)  # EXT4_IOC_SETVERSION_OLD


@way
def set_the_project_of_a_file():
    request(0x401C5820, 28)  # FS_IOC_FSSETXATTR


@way
def seal_a_file_with_verity():
    request(0x40806685, 128)  # FS_IOC_ENABLE_VERITY


@way
def encrypt_a_directory():
    request(0x800C6613, 12, outside("empty"))  # FS_IOC_SET_ENCRYPTION_POLICY


@way
def make_a_salt():
    request(0x40106614, 16, OUTSIDE)  # FS_IOC_GET_ENCRYPTION_PWSALT


@way
def add_a_key_of_a_file_system():
    request(0xC0506617, 80, OUTSIDE)  # FS_IOC_ADD_ENCRYPTION_KEY


@way
def remove_a_key_of_a_file_system():
    request(0xC0406618, 64, OUTSIDE)  # FS_IOC_REMOVE_ENCRYPTION_KEY


@way
def name_a_file_system():
    request(0x41009432, 256, OUTSIDE)  # FS_IOC_SETFSLABEL


@way
def freeze_a_file_system():
    request(0xC0045877, 4, OUTSIDE)  # FIFREEZE


@way
def make_a_subvolume():
    request(0x5000940E, 4096, OUTSIDE)  # BTRFS_IOC_SUBVOL_CREATE


@way
def make_a_snapshot():
    request(0x50009417, 4096, OUTSIDE)  # BTRFS_IOC_SNAP_CREATE_V2


@way
def set_the_flags_of_a_subvolume():
    request(0x4008941A, 8, OUTSIDE)  # BTRFS_IOC_SUBVOL_SETFLAGS


@way
def pin_a_file():
    request(0x4004F50D, 4)  # F2FS_IOC_SET_PIN_FILE


@way
def use_a_kind_to_come():
    request(0x4004EE01, 4)  # of nobody today


@way
def clone_into_a_file():
    file = os.open(outside("kept"), os.O_RDONLY)
    fcntl.ioctl(file, 0x40049409, os.open(PLAN, os.O_RDONLY))  # FICLONE


@way
def add_a_control_to_a_card():
    fcntl.ioctl(1, 0xC1105517, bytearray(272))  # SNDRV_CTL_IOCTL_ELEM_ADD


@way
def write_a_control_of_a_card():
    fcntl.ioctl(1, 0xC4C85513, bytearray(1224))  # SNDRV_CTL_IOCTL_ELEM_WRITE


@way
def change_the_keys_of_the_console():
    fcntl.ioctl(1, 0x4B47, bytearray(4))  # KDSKBENT


@way
def select_on_the_console():
    fcntl.ioctl(1, 0x541C, bytearray(16))  # TIOCLINUX


# Other processes


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


@way
def write_to_another_terminal():
    put(FACTS["terminal"], os.O_WRONLY | os.O_NOCTTY)


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


# The kernel's memory


@way
def make_a_shared_segment():
    syscall(29, 0x6d616d64, 4096, 0o1600)  # shmget


@way
def make_a_message_queue():
    syscall(68, 0x6d616d64, 0o1600)  # msgget


@way
def make_semaphores():
    syscall(64, 0x6d616d64, 1, 0o1600)  # semget


@way
def make_a_posix_queue():
    syscall(240, b"mamd-leak", os.O_CREAT | os.O_WRONLY, 0o600, None)  # mq_open


@way
def set_semaphores_of_another():
    syscall(66, FACTS["semaphores"], 0, 17, (ctypes.c_uint16 * 1)(4711))  # semctl, SETALL


@way
def set_a_semaphore_of_another():
    syscall(66, FACTS["semaphores"], 0, 16, 4711)  # SETVAL


@way
def wait_for_semaphores_of_another():
    syscall(65, FACTS["semaphores"], b"\0\0\1\0\0\0", 1)  # semop


@way
def wait_for_semaphores_of_another_with_a_deadline():
    syscall(220, FACTS["semaphores"], b"\0\0\1\0\0\0", 1, None)  # semtimedop


@way
def set_the_mode_of_a_segment():
    about = ctypes.create_string_buffer(256)
    syscall(31, FACTS["segment"], 2, about)  # shmctl, IPC_STAT
    syscall(31, FACTS["segment"], 1, about)  # IPC_SET


@way
def write_to_a_segment():
    syscall(30, FACTS["segment"], None, 0)  # shmat


@way
def set_the_size_of_a_queue():
    about = ctypes.create_string_buffer(256)
    syscall(71, FACTS["queue"], 2, about)  # msgctl, IPC_STAT
    syscall(71, FACTS["queue"], 1, about)  # IPC_SET


@way
def send_to_a_queue():
    syscall(69, FACTS["queue"], (ctypes.c_long * 8)(1), 8, 0o4000)  # msgsnd, IPC_NOWAIT


@way
def take_from_a_queue():
    syscall(70, FACTS["queue"], ctypes.create_string_buffer(64), 8, 0, 0o4000)  # msgrcv


@way
def remove_a_posix_queue():
    syscall(241, FACTS["posix_queue"].encode())  # mq_unlink


@way
def add_a_key():
    syscall(248, b"user", b"mamd-leak", SECRET, len(SECRET), -4)  # add_key, the user's keyring


@way
def ask_for_keys():
    syscall(250, 0, -4, 0)  # keyctl


# Mounts, name spaces, the whole machine


@way
def mount_a_file_system():
    if libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) < 0:
        raise OSError(ctypes.get_errno(), "mount")


@way
def bind_a_directory():
    if libc.mount(OUTSIDE.encode(), WORKSPACE.encode(), None, 4096, None) < 0:
        raise OSError(ctypes.get_errno(), "mount")


@way
def mount_with_the_newer_calls():
    syscall(430, b"overlay", 0)  # fsopen


@way
def clone_a_mount():
    syscall(428, -100, b"/", 1)  # open_tree


@way
def serve_a_file_system():
    os.open("/dev/fuse", os.O_RDWR)


@way
def leave_for_a_user_name_space():
    syscall(272, 0x10000000)  # unshare(CLONE_NEWUSER)


@way
def leave_with_hidden_bits():
    syscall(272, ctypes.c_uint64(0x1_1000_0000))


@way
def clone_into_a_name_space():
    if syscall(56, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0) == 0:
        os._exit(0)


@way
def clone_with_the_newer_call():
    syscall(435, ctypes.create_string_buffer(88), 88)


@way
def enter_another_name_space():
    syscall(308, os.open("/proc/self/ns/net", os.O_RDONLY), 0)  # setns


@way
def change_the_root():
    os.chroot("/")


@way
def pivot_the_root():
    syscall(155, b"/", b"/")


@way
def open_by_handle():
    syscall(304, -100, ctypes.create_string_buffer(128), os.O_WRONLY)


@way
def account_processes():
    syscall(163, outside("kept").encode())


@way
def name_the_machine():
    syscall(170, SECRET, 10)  # sethostname


@way
def swap():
    syscall(167, outside("kept").encode(), 0)


@way
def set_a_quota():
    syscall(179, 0x80000800, b"none", 0, None)


@way
def load_a_module():
    syscall(175, SECRET, len(SECRET), b"")


@way
def load_a_kernel():
    syscall(246, 0, 0, None, 0)


@way
def use_io_uring():
    syscall(425, 8, ctypes.create_string_buffer(120))


@way
def use_bpf():
    syscall(321, 0, ctypes.create_string_buffer(128), 128)


@way
def measure_performance():
    syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)


@way
def handle_page_faults():
    syscall(323, 1)


@way
def watch_the_file_system():
    syscall(300, 0, 0)  # fanotify_init


@way
def open_with_openat2():
    syscall(437, -100, outside("kept").encode(), (ctypes.c_uint64 * 3)(os.O_WRONLY, 0, 0), 24)


# Sockets


@way
def connect_to_an_accomplice():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["listener"])
    connection.send(SECRET)


@way
def hand_over_a_descriptor():
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(FACTS["listener"])
    socket.send_fds(connection, [b"x"], [os.open(PLAN, os.O_RDONLY)])


@way
def connect_by_a_relative_path():
    os.chdir(OUTSIDE)
    try:
        socket.socket(socket.AF_UNIX).connect(os.path.relpath(FACTS["listener"]))
    finally:
        os.chdir("/")


@way
def connect_to_an_abstract_socket():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("\0" + FACTS["abstract"])
    connection.send(SECRET)


@way
def listen_at_a_path():
    socket.socket(socket.AF_UNIX).bind(os.path.join(WORKSPACE, "listener"))


@way
def listen_at_an_abstract_socket():
    socket.socket(socket.AF_UNIX).bind("\0mamd-leak")


@way
def listen_at_any_address():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")
    listener.listen()


@way
def listen_as_an_office():
    """It is told that it listens; nobody can connect, nor it."""
    listener, path = socket.socket(socket.AF_UNIX), os.path.join(WORKSPACE, "OSL_PIPE_0_leak")
    listener.bind(path)
    listener.listen()
    if os.path.exists(path) or listener.getsockname():
        return
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
        except OSError:
            listener.accept()


@way
def send_to_who_made_it_listen():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("/tmp/OSL_PIPE_0_leak")
    listener.listen()
    listener.send(SECRET)


@way
def listen_without_a_name():
    listener = socket.socket(socket.AF_UNIX)
    listener.listen()
    if not listener.getsockname():
        listener.accept()


@way
def send_a_datagram():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(SECRET, FACTS["datagrams"])


@way
def send_from_a_pair():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(SECRET, FACTS["datagrams"])


@way
def send_from_a_raw_socket():
    socket.socket(socket.AF_UNIX, socket.SOCK_RAW).sendto(SECRET, FACTS["datagrams"])


@way
def write_to_the_log():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(SECRET, "/dev/log")


@way
def log_with_logger():
    command("logger", "--socket-errors=on", SECRET.decode())


@way
def use_the_system_bus():
    socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket")


@way
def use_the_session_bus():
    command("gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/", "-m",
            "org.freedesktop.DBus.ListNames")


@way
def use_docker():
    socket.socket(socket.AF_UNIX).connect(FACTS["docker"])


@way
def connect_over_tcp():
    connection = socket.create_connection(("127.0.0.1", FACTS["port"]), timeout=5)
    connection.send(SECRET)


@way
def connect_over_tcp_6():
    connection = socket.create_connection(("::1", FACTS["port"]), timeout=5)
    connection.send(SECRET)


@way
def connect_while_sending():
    socket.socket().sendto(SECRET, 0x20000000, ("127.0.0.1", FACTS["port"]))  # MSG_FASTOPEN


@way
def connect_while_sending_a_message():
    socket.socket().sendmsg([SECRET], [], 0x20000000, ("127.0.0.1", FACTS["port"]))


@way
def connect_while_sending_over_tcp_6():
    socket.socket(socket.AF_INET6).sendto(SECRET, 0x20000000, ("::1", FACTS["port"]))


@way
def make_a_pair_of_tipc():
    socket.socketpair(30, socket.SOCK_SEQPACKET)


@way
def listen_over_tcp():
    socket.socket().listen()


@way
def send_over_udp():
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.sendto(SECRET, ("127.0.0.1", FACTS["udp_port"]))


@way
def send_over_udp_6():
    sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sender.sendto(SECRET, ("::1", FACTS["udp_port"]))


@way
def send_over_udp_lite():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136)


@way
def send_over_sctp():
    socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, 132)


@way
def use_the_kernels_ciphers():
    socket.socket(38, socket.SOCK_SEQPACKET)  # AF_ALG


@way
def hide_the_family():
    number = syscall(41, ctypes.c_uint64(0x1_0000_0002), 2, 0)  # AF_INET, with more bits
    socket.socket(fileno=number).sendto(SECRET, ("127.0.0.1", FACTS["udp_port"]))


@way
def send_over_mptcp():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("127.0.0.1", FACTS["port"]))


@way
def ping():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)


@way
def send_raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)


@way
def send_packets():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


@way
def talk_to_the_kernel():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)  # NETLINK_USERSOCK


@way
def talk_to_a_host():
    socket.socket(40, socket.SOCK_STREAM)  # AF_VSOCK


@way
def resolve_a_name():
    socket.getaddrinfo(SECRET.decode()[:40].strip().replace(" ", "-") + ".example", 80)


# Programs that run outside, or with more rights


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


# By the workspace itself


@way
def act_for_another():
    command("mamctl", "run", "--workspace", FACTS["name"], "--identity", FACTS["other"],
            "--unmanaged", "--", "cp", PLAN, os.path.join(WORKSPACE, "given"))


def ctl(*words):
    command("mamctl", *words, "--workspace", FACTS["name"])


@way
def give_the_file_away():
    ctl("owner", "--set", FACTS["other"], "--unmanaged", PLAN)


@way
def decrypt_the_file():
    ctl("decrypt", PLAN)


@way
def have_the_daemon_write():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    connection.sendall(json.dumps({
        "method": "io.mamd.Workspace.Decrypt", "parameters": {
            "sourcePath": FACTS["sealed"], "destinationPath": outside("kept")}}).encode() + b"\0")
    told_by(connection)


def told_by(connection):
    told = json.loads(connection.recv(65536).split(b"\0")[0])
    if "error" in told:
        raise Refused(told["error"])


NOBODY = (b'{"method": "io.mamd.Identity.SetProcessIdentity",'
          b'"parameters": {"identity": null}}\0')


@way
def speak_as_soon_as_it_is_connected():
    """On another thread, before connect(2) has returned."""
    connection = socket.socket(socket.AF_UNIX)

    def speak():
        while True:
            try:
                connection.send(NOBODY)
                return
            except OSError:
                pass

    speaker = threading.Thread(target=speak)
    speaker.start()
    connection.connect(FACTS["socket"])
    speaker.join()
    told_by(connection)


@way
def speak_on_a_connection_with_a_name():
    connection = socket.socket(socket.AF_UNIX)
    connection.bind("\0mamd-leak")
    connection.connect(FACTS["socket"])
    connection.send(NOBODY)
    told_by(connection)


@way
def act_for_another_account():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    socket.send_fds(connection, [json.dumps({
        "method": "io.mamd.Identity.Contain", "parameters": {
            "account": FACTS["account"], "processDescriptor": 0}}).encode() + b"\0"],
        [os.pidfd_open(SUPERVISOR)])
    told_by(connection)


@way
def be_trusted():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    socket.send_fds(connection, [json.dumps({
        "method": "io.mamd.Identity.Trust", "parameters": {
            "account": None, "programDescriptor": 0, "processDescriptor": 1}}).encode() + b"\0"],
        [os.open("/bin/cp", os.O_PATH), os.pidfd_open(os.getpid())])
    told_by(connection)


@way
def import_another_policy():
    policy = os.path.join(WORKSPACE, "policy.json")
    with open(policy, "w") as file:
        json.dump({"displayName": "free", "allowedOutboundDataTransferDestinations": "allApps"},
                  file)
    ctl("policy", "import", policy)


@way
def register_another_account():
    ctl("account", "register", "eve@contoso.com", "--no-passphrase")


@way
def export_the_keys():
    ctl("account", "export", FACTS["account"], "-o", outside("keys"),
        "--passfile", FACTS["passfile"])


@way
def claim_not_to_be_contained():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    connection.sendall(NOBODY)
    told_by(connection)


@way
def write_to_a_file_of_the_persons():
    put(FACTS["plain"], os.O_WRONLY)


@way
def make_a_fifo_in_the_workspace():
    os.mkfifo(os.path.join(WORKSPACE, "a-fifo"))


@way
def make_a_node_in_the_workspace():
    os.mknod(os.path.join(WORKSPACE, "a-socket"), 0o140600)


@way
def set_an_attribute_in_the_workspace():
    os.setxattr(PLAN, "user.leak", SECRET)


def main():
    for name in sys.argv[2:] or ways:
        function = ways[name]
        try:
            function()
            told = "OUT"
        except (OSError, Refused, ValueError) as error:
            told = f"refused {type(error).__name__} {error}"
        # A terminal turns these into line ends of its own.
        print(name, told.replace("\n", " ").replace("\r", " "), sep="\t", flush=True)


main()
