"""Ways out of a contained program: the kernel's memory."""
import ctypes
import os

from ways import FACTS, SECRET, syscall, way


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
