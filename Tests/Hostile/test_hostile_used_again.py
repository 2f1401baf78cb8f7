"""What the number of a caller that has ended gives to the process that has it next: nothing."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import unittest

from hostile import ATTACKER, VICTIM, VICTIMS_NAME, HostileCase, as_user, command_as
import socket_client

# The next process's number is the whole machine's.
ALONE = True


class UsedAgain(HostileCase):
    """The number of a caller that has ended is a victim's process's now."""

    LAST = pathlib.Path("/proc/sys/kernel/ns_last_pid")

    def test_a_dead_callers_number_gives_nobody_an_identity(self):
        if not os.access(self.LAST, os.W_OK):
            self.skipTest("the next process's number cannot be chosen here")
        os.kill(self.workspace.daemon(), signal.SIGSTOP)
        try:
            client, number = self.call_of_the_dead("SetProcessIdentity", {"identity": ""})
            victim = self.process_numbered(number)
        finally:
            os.kill(self.workspace.daemon(), signal.SIGCONT)
        reply = json.loads(client.recv(1 << 16)[:-1])
        self.assertIn("Refused", reply.get("error", ""), reply)
        os.write(victim.stdin.fileno(), b"\n")
        self.assertEqual(victim.communicate()[0].strip().decode(), VICTIMS_NAME)

    def call_of_the_dead(self, method, parameters):
        """A call that waits to be accepted, of a process that has ended; we keep its connection."""
        mine, its = socket.socketpair()

        def call():
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.workspace.socket))
                client.sendall(socket_client.frame(f"Identity.{method}", **parameters))
                socket.send_fds(its, [str(os.getpid()).encode()], [client.fileno()])
        self.assertEqual(as_user(ATTACKER, call), 0)
        number, (descriptor,), _, _ = socket.recv_fds(mine, 64, 1)
        client = socket.socket(fileno=descriptor)
        for end in (mine, its):
            end.close()
        self.addCleanup(client.close)
        client.settimeout(60)
        return client, int(number)

    def process_numbered(self, number):
        """A program of the victim's that tells, when asked, whose a file is that it makes."""
        for _ in range(100):
            self.LAST.write_text(str(number - 1))
            child = subprocess.Popen(
                command_as(VICTIM, "tell_owner", self.home(VICTIM)), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE)
            if child.pid == number:
                return child
            # Not told to go on: it would wait for the daemon, which is stopped.
            child.kill()
            child.communicate()
        self.skipTest("another process took the number each time")


if __name__ == "__main__":
    unittest.main()
