"""A network for three servers that can be cut between them, while their clients still reach them.

Each server has a name space of its own with two cables: one to the clients, one to the others.
"""
import ctypes
import os
import subprocess

NEW_MOUNTS, NEW_NETWORK = 0x00020000, 0x40000000  # CLONE_NEWNS, CLONE_NEWNET of <linux/sched.h>

libc = ctypes.CDLL(None, use_errno=True)


def ip(*words):
    subprocess.run(["ip", *map(str, words)], check=True)


class Network:
    """As root. The caller goes into a network of its own, for the rest of its life."""

    def __init__(self, count=3):
        if libc.unshare(NEW_MOUNTS | NEW_NETWORK):
            number = ctypes.get_errno()
            raise OSError(number, f"unshare: {os.strerror(number)}")
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        ip("link", "set", "lo", "up")
        for bridge in ("clients", "cluster"):
            ip("link", "add", bridge, "type", "bridge")
            ip("link", "set", bridge, "up")
        ip("address", "add", "10.77.0.254/24", "dev", "clients")
        self.spaces = [self.space(number) for number in range(1, count + 1)]

    def space(self, number):
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up; echo; exec sleep infinity"],
            stdout=subprocess.PIPE)
        holder.stdout.readline()
        for net, bridge in enumerate(("clients", "cluster")):
            ip("link", "add", f"{bridge}{number}", "type", "veth", "peer", "name", f"eth{net}",
               "netns", holder.pid)
            ip("link", "set", f"{bridge}{number}", "master", bridge, "up")
            for words in (("address", "add", f"10.77.{net}.{number}/24", "dev", f"eth{net}"),
                          ("link", "set", f"eth{net}", "up")):
                subprocess.run(["nsenter", "-t", str(holder.pid), "-n", "ip", *words], check=True)
        return holder

    def addresses(self, number):
        return {"host": f"10.77.0.{number}", "port": 4222,
                "cluster": (f"10.77.1.{number}", 6222),
                "apart": ("nsenter", "-t", str(self.spaces[number - 1].pid), "-n", "--")}

    def cut(self, number):
        """The server from the others."""
        ip("link", "set", f"cluster{number}", "down")

    def heal(self, number):
        ip("link", "set", f"cluster{number}", "up")

    def close(self):
        for holder in self.spaces:
            holder.kill()
            holder.wait()
