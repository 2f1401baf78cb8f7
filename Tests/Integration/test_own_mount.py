"""The daemon asks its own mount nothing about files that a call passes: killed while it waits for
its own answer, it would never end."""
import os
import pathlib
import tempfile
import unittest

from socket_client import Client
from tracing import recording
from workspace import ANN, WorkspaceCase

# What leads to a request when the kernel's attributes are too old, on a descriptor (-y names it).
ASKING = "fstat,newfstatat,statx,fstatfs"


@unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root trace it")
class OwnMount(WorkspaceCase):
    def test_a_calls_descriptors_are_known_from_the_cache(self):
        path = self.workspace.mount_point / "file"
        self.workspace.write_as(ANN, path, "content")
        with tempfile.TemporaryDirectory() as place:
            trace = pathlib.Path(place) / "trace"
            with recording(self.workspace.daemon(), ASKING, trace, "-y"):
                self.ask(path)
            lines = trace.read_text().splitlines()
        about_it = [line for line in lines if f"<{path}" in line]
        self.assertTrue(about_it, lines[-5:])
        for line in about_it:
            self.assertIn("AT_STATX_DONT_SYNC", line)

    def ask(self, path):
        with Client(self.workspace.socket) as client, open(path, "rb") as file:
            for method, parameters in (
                    ("Workspace.ProtectionInfo", {}), ("Workspace.SetOwner", {"owner": ANN}),
                    ("Workspace.SetClass", {"class": "B"}),
                    ("Protection.Protect", {"owner": ANN})):
                client.call(method, [file.fileno()], fileDescriptor=0, **parameters)


if __name__ == "__main__":
    unittest.main()
