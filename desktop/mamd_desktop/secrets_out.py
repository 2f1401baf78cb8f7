"""A passphrase's way from a GTK entry to the daemon, without a copy in Python.

GTK keeps the text of a password entry in locked memory that it clears. It is written from there to
a pipe, whose other end goes to the daemon.
"""
import contextlib
import ctypes
import os
import resource
from collections.abc import Generator

from gi.repository import Gtk

PR_SET_DUMPABLE = 4
LONGEST = 4096


def keep_out_of_dumps() -> None:
    """No core, and no other process of this user may look into this one."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _library() -> ctypes.CDLL:
    gtk = ctypes.CDLL("libgtk-4.so.1")
    gtk.gtk_entry_buffer_get_text.restype = ctypes.c_void_p
    gtk.gtk_entry_buffer_get_text.argtypes = [ctypes.c_void_p]
    gtk.gtk_entry_buffer_get_bytes.restype = ctypes.c_size_t
    gtk.gtk_entry_buffer_get_bytes.argtypes = [ctypes.c_void_p]
    return gtk


def _buffer(entry: Gtk.PasswordEntry) -> int:
    """The address of its GtkEntryBuffer, which is what PyGObject hashes."""
    return hash(entry.get_delegate().get_buffer())


def byte_count(entry: Gtk.PasswordEntry) -> int:
    return _library().gtk_entry_buffer_get_bytes(_buffer(entry))


@contextlib.contextmanager
def descriptor(entry: Gtk.PasswordEntry) -> Generator[int]:
    """What a reader gets the entry's text from; the entry is empty then."""
    gtk, libc = _library(), ctypes.CDLL(None, use_errno=True)
    libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
    address = _buffer(entry)
    count = min(gtk.gtk_entry_buffer_get_bytes(address), LONGEST)
    reader, writer = os.pipe2(os.O_CLOEXEC)
    try:
        # A pipe takes so many at once.
        libc.write(writer, gtk.gtk_entry_buffer_get_text(address), count)
        entry.set_text("")
        os.close(writer)
        yield reader
    finally:
        os.close(reader)
