"""Logins of the machine's user with a session bus and GNOME's keyring, as Debian starts them."""
import shutil

from ordinary_user import NOBODY
from systemd_machine import USER_UNITS, MachineCase

NEEDS = ("dbus", "dbus-user-session", "gnome-keyring", "libsecret-tools")

SESSION_UNITS = (
    "dbus.socket", "dbus.service", "gnome-keyring-daemon.socket", "gnome-keyring-daemon.service")
KEYRING_PASSWORD = "of the login"

# What pam_gnome_keyring says to the daemon at login, with the password on standard input.
UNLOCK = f"""
import socket, struct, sys
password = sys.stdin.buffer.read()
with socket.socket(socket.AF_UNIX) as control:
    control.connect("/run/user/{NOBODY}/keyring/control")
    control.sendall(bytes(1))
    control.sendall(struct.pack(">III", 12 + len(password), 1, len(password)) + password)
    sys.exit(struct.unpack(">II", control.recv(8, socket.MSG_WAITALL))[1])
"""


class KeyringCase(MachineCase):
    @classmethod
    def prepare(cls, machine):
        missing = [unit for unit in SESSION_UNITS if not (USER_UNITS / unit).exists()]
        if missing or not shutil.which("secret-tool"):
            cls.skipTest(cls(), f"not installed: {missing or 'secret-tool'}")
        for unit in SESSION_UNITS:
            shutil.copy2(USER_UNITS / unit, machine.place / "user")
        for target, wanted in (
                ("default", "basic.target"), ("basic", "sockets.target"),
                ("sockets", "dbus.socket gnome-keyring-daemon.socket")):
            with (machine.place / "user" / f"{target}.target").open("a") as file:
                file.write(f"Wants={wanted}\nAfter={wanted}\n")

    @classmethod
    def log_in(cls):
        cls.machine.run("systemctl", "start", "users")

    @classmethod
    def unlock_keyring(cls):
        """Creates it the first time."""
        cls.machine.run("python3", "-c", UNLOCK, user=True, text=KEYRING_PASSWORD)
