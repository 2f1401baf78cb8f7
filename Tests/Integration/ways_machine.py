"""Ways out of a contained program: mounts, name spaces, the whole machine."""
import ctypes
import os
import signal

from ways import OUTSIDE, SECRET, WORKSPACE, libc, outside, syscall, way


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
