"""TCP ports of this machine for servers that must be told theirs beforehand."""
import random
import socket

# Below those that the kernel gives to connections.
FIRST, LAST = 20_000, 30_000

# While the process lives, other tests that take ports leave these alone.
claims = []


def is_free(port):
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0mamd-test-port-{port}")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
    except OSError:
        claim.close()
        return False
    claims.append(claim)
    return True


def free_port(*others):
    """A port of which no other test has one, nor those that are so much higher."""
    for port in random.sample(range(FIRST, LAST), LAST - FIRST):
        if all(is_free(port + more) for more in (0, *others)):
            return port
    raise AssertionError("no port is free")
