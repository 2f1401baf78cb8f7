"""What stands between the daemon and a chip, and may change what they say to each other."""
import contextlib
import pathlib
import socket
import struct
import threading

LOAD, UNSEAL, READ_PUBLIC, START_SESSION = 0x157, 0x15E, 0x173, 0x176


def error(code):
    """A reply that says it."""
    return struct.pack(">HII", 0x8001, 10, code)


class Interposer:
    """`change`: takes a command's code and the chip's reply to it, and returns what is told in its
    place. `commands`: the codes of what was asked."""

    def __init__(self, chip):
        self.chip = chip
        self.path = pathlib.Path(f"{chip.socket}.between")
        self.change = None
        self.commands = []
        self.listeners = [
            self.listen("", self.pass_commands), self.listen(".ctrl", self.pass_control)]

    @property
    def tcti(self):
        return f"swtpm:path={self.path}"

    def close(self):
        for listener in self.listeners:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def listen(self, suffix, serve):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(f"{self.path}{suffix}")
        listener.listen()
        threading.Thread(target=self.accept, args=(listener, suffix, serve)).start()
        return listener

    def accept(self, listener, suffix, serve):
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=self.serve, args=(client, suffix, serve)).start()

    def serve(self, client, suffix, serve):
        with client, socket.socket(socket.AF_UNIX) as chip, contextlib.suppress(OSError):
            chip.connect(f"{self.chip.socket}{suffix}")
            serve(client, chip)

    def pass_commands(self, client, chip):
        while command := message(client):
            code = int.from_bytes(command[6:10], "big")
            self.commands.append(code)
            chip.sendall(command)
            reply = message(chip)
            client.sendall(self.change(code, reply) if self.change else reply)

    @staticmethod
    def pass_control(client, chip):
        """One question, one answer at a time."""
        while question := client.recv(4096):
            chip.sendall(question)
            client.sendall(chip.recv(4096))


def message(end):
    """A command or a reply; empty at the end."""
    head = end.recv(10, socket.MSG_WAITALL)
    if len(head) < 10:
        return b""
    return head + end.recv(int.from_bytes(head[2:6], "big") - 10, socket.MSG_WAITALL)
