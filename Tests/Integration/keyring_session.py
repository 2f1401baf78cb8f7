"""Logins of the machine's user with a session bus and GNOME's keyring, as Debian starts them."""
import shutil

from ordinary_user import NOBODY
from systemd_machine import USER_UNITS, MachineCase
from workspace import PROGRAMS

NEEDS = ("dbus", "dbus-user-session", "gnome-keyring", "libsecret-tools")

SESSION_UNITS = (
    "dbus.socket", "dbus.service", "gnome-keyring-daemon.socket", "gnome-keyring-daemon.service")
KEYRING_PASSWORD = "of the login"


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
        # Read here: the machine has none of these tests.
        program = (PROGRAMS / "unlock_keyring.py").read_text()
        cls.machine.run(
            "python3", "-c", program, f"/run/user/{NOBODY}/keyring/control", user=True,
            text=KEYRING_PASSWORD)
