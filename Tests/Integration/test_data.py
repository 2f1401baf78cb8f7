"""Data that is no file: pipes and strings, protected, damaged, foreign."""
import base64
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import unittest

from running import open_files
from socket_client import Client
from workspace import (
    ANN, CLOSED, DAMAGED, DECODER, DONE, LONG, NOT_MANAGED, PERSONAL, USAGE, WorkspaceCase, pattern,
    wait_until)

CHUNK = 65536
SEALED = CHUNK + 16


class Data(WorkspaceCase):
    settings = {"MultiIdentity": True}

    def run_data(self, verb, data, *options, status=DONE):
        """Bytes in, bytes out, through pipes."""
        result = subprocess.run(
            ["mamctl", "data", verb, *options, "--workspace", self.workspace.name], input=data,
            capture_output=True, timeout=60, env=self.workspace.environment)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def protect(self, data, owner=ANN, *options, status=DONE):
        return self.run_data(
            "protect", data, "--owner", owner, "--unmanaged", *options, status=status)

    def unprotect(self, data, *options, status=DONE):
        return self.run_data("unprotect", data, *options, status=status)

    def decode(self, sealed, status=0):
        path = self.workspace.root / "stream"
        path.write_bytes(sealed)
        result = subprocess.run(
            ["/usr/bin/python3", DECODER, "--state", self.workspace.state,
             "--passfile", self.workspace.passfile, "--stream", path], capture_output=True)
        self.assertEqual(result.returncode, status, result.stderr)
        return result.stdout

    def test_every_size_comes_back_and_the_second_decoder_agrees(self):
        for size in (1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 1_000_000):
            with self.subTest(size=size):
                plain = pattern(size)
                sealed = self.protect(plain)
                self.assertEqual(len(sealed), 116 + len(ANN) + size + 16 * -(-size // CHUNK))
                if size > 16:
                    self.assertNotIn(plain[:16], sealed)
                self.assertEqual(self.decode(sealed), plain)
                self.assertEqual(self.unprotect(sealed), plain)

    def test_no_data_is_an_error_and_no_output(self):
        self.assertEqual(self.protect(b"", status=USAGE), b"")
        self.assertEqual(self.unprotect(b""), b"")

    def test_owners_that_are_not_managed_get_a_header_and_plain_content(self):
        for owner in (PERSONAL, ""):
            with self.subTest(owner=owner):
                sealed = self.protect(b"mine" * 50_000, owner)
                self.assertTrue(sealed.endswith(b"mine" * 50_000))
                self.assertEqual(len(sealed), 36 + len(owner) + 200_000)
                self.assertEqual(self.unprotect(sealed), b"mine" * 50_000)
                info = json.loads(self.run_data("info", sealed, "--json"))["protection"]
                self.assertEqual((info["owner"], info["managed"]), (owner, False))

    def test_foreign_data_passes_through_as_it_is(self):
        for data in (
                b"x", b"\x89MA", b"\x89MAMF\r\n\x1a" + pattern(5000), pattern(300_000), b"{}\n"):
            with self.subTest(data=data[:8]):
                self.assertEqual(self.unprotect(data), data)
                self.run_data("info", data, status=NOT_MANAGED)

    def test_info_reads_the_header_alone(self):
        sealed = self.protect(pattern(100_000))
        info = json.loads(self.run_data("info", sealed[: 116 + len(ANN)], "--json"))["protection"]
        self.assertEqual((info["owner"], info["managed"], info["state"]), (ANN, True, "available"))
        source, sink = os.pipe()
        os.write(sink, sealed[:1000])
        subprocess.run(["mamctl", "data", "info"], stdin=source, check=True, capture_output=True,
                       env=self.workspace.environment)
        self.assertEqual(os.read(source, 2000), sealed[116 + len(ANN) : 1000])
        os.close(source)
        os.close(sink)

    def test_damage_gives_what_came_before_it_and_not_one_byte_more(self):
        plain = pattern(3 * CHUNK + 100)
        sealed = self.protect(plain)
        head = 116 + len(ANN)
        chunks = [sealed[head + i * SEALED : head + (i + 1) * SEALED] for i in range(4)]
        other = self.protect(plain)
        flipped = bytearray(sealed)
        flipped[head + SEALED + 5] ^= 1
        cases = {
            "a bit of chunk 1": (bytes(flipped), 1),
            "cut at a border": (sealed[: head + 2 * SEALED], 1),
            "cut within": (sealed[:-50], 3),
            "cut behind the header": (sealed[:head], 0),
            "extended": (sealed + b"\0", 3),
            "extended by a chunk": (sealed + chunks[3], 3),
            "swapped": (sealed[:head] + chunks[0] + chunks[2] + chunks[1] + chunks[3], 1),
            "left out": (sealed[:head] + chunks[0] + chunks[2] + chunks[3], 1),
            "another stream's": (sealed[:head] + chunks[0] + other[head + SEALED :], 1),
            "another stream's header": (other[:head] + sealed[head:], 0),
        }
        for name, (data, good) in cases.items():
            with self.subTest(name):
                self.assertEqual(self.unprotect(data, status=DAMAGED), plain[: good * CHUNK])
                self.decode(data, status=DAMAGED)

    def test_a_damaged_header_gives_nothing(self):
        sealed = self.protect(b"content")
        for offset in (8, 9, 10, 11, 12, 14, 16, 33, 50, 70, 116 + len(ANN) - 1):
            damaged = bytearray(sealed)
            damaged[offset] ^= 0x40
            with self.subTest(offset=offset):
                self.assertEqual(
                    self.unprotect(bytes(damaged), status=USAGE if offset in (8, 9) else DAMAGED),
                    b"")
        for length in (4, 8, 31, 32, 100):
            with self.subTest(length=length):
                self.assertEqual(self.unprotect(sealed[:length], status=DAMAGED), b"")

    def test_a_closed_window(self):
        sealed = self.protect(b"content")
        self.workspace.lock()
        try:
            self.assertEqual(self.unprotect(sealed, status=CLOSED), b"")
            self.assertEqual(self.protect(b"content", status=CLOSED), b"")
            self.assertEqual(self.unprotect(b"foreign"), b"foreign")
            self.assertEqual(
                json.loads(self.run_data("info", sealed, "--json"))["protection"]["state"],
                "closed")
        finally:
            self.workspace.unlock()
        self.assertEqual(self.unprotect(sealed), b"content")

    def test_a_lock_ends_a_stream_that_waits(self):
        sealed = self.protect(pattern(5 * CHUNK))
        for verb, data in (("unprotect", sealed[: 3 * SEALED]), ("protect", pattern(3 * CHUNK))):
            options = ["--owner", ANN] if verb == "protect" else []
            process = subprocess.Popen(
                ["mamctl", "data", verb, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=self.workspace.environment)
            writer = threading.Thread(
                target=lambda: (process.stdin.write(data), process.stdin.flush()))
            writer.start()
            self.assertEqual(len(process.stdout.read(2 * CHUNK)), 2 * CHUNK)
            writer.join(60)
            self.workspace.lock()
            try:
                self.assertEqual(process.wait(60), CLOSED)
            finally:
                self.workspace.unlock()
                process.stdin.close()
                process.stdout.close()

    def test_a_string_from_a_slow_pipe_is_waited_for(self):
        slow = "sleep 0.3; echo slow"
        found = subprocess.run(
            ["sh", "-c",
             f"({slow}) | mamctl data protect --string --owner {ANN}"
             " | mamctl data unprotect --string"],
            capture_output=True, text=True, env=self.workspace.environment, timeout=60)
        self.assertEqual((found.returncode, found.stdout, found.stderr), (0, "slow\n", ""))

    def test_strings(self):
        text = "Zürich → déjà vu\n"
        sealed = self.protect(text.encode(), ANN, "--string").decode()
        self.assertEqual(
            self.decode(base64.b64decode(sealed.strip(), validate=True)), text.encode())
        self.assertEqual(self.unprotect(sealed.encode(), "--string").decode(), text)
        self.assertEqual(
            json.loads(self.run_data("info", sealed.encode(), "--string", "--json"))["protection"][
                "owner"], ANN)
        for foreign in ("", "plain text\n", "Zm9v", "a=b", "Zm9vYg=\n"):
            self.assertEqual(self.unprotect(foreign.encode(), "--string").decode(), foreign)
        self.protect(b"", ANN, "--string", status=USAGE)
        self.protect(b"\xff\xfe", ANN, "--string", status=USAGE)
        damaged = base64.b64encode(base64.b64decode(sealed)[:-1])
        self.assertEqual(self.unprotect(damaged, "--string", status=DAMAGED), b"")

    def client(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        return client

    def answer(self, method, **parameters):
        answer = self.client().ask(f"Protection.{method}", **parameters)
        return answer.get("error", "").split(".")[-1], answer["parameters"]

    def test_status_codes(self):
        sealed = base64.b64encode(self.protect(b"content")).decode()
        content = base64.b64decode(sealed)
        flipped = base64.b64encode(content[:-1] + bytes([content[-1] ^ 1])).decode()
        cases = [
            ("ProtectString", {"owner": ANN, "text": ""}, 105),
            ("ProtectString", {"owner": ANN}, 101),
            ("ProtectString", {"text": "x"}, 101), ("ProtectData", {"owner": ANN}, 101),
            ("UnprotectString", {}, 101), ("UnprotectString", {"text": flipped}, 103),
        ]
        for method, parameters, status in cases:
            with self.subTest(method=method, parameters=parameters):
                error, found = self.answer(method, **parameters)
                self.assertEqual((error, found.get("status")), ("DataFailed", status))
        self.assertEqual(
            self.answer("StringInfo", text="foreign"), ("", {"protection": None, "status": 104}))
        self.assertEqual(self.answer("StringInfo", text=sealed)[1]["status"], 0)
        self.workspace.lock()
        try:
            self.assertEqual(self.answer("ProtectString", owner=ANN, text="x")[1]["status"], 102)
            self.assertEqual(
                self.answer("UnprotectString", text=sealed)[1]["cause"], "WindowClosed")
        finally:
            self.workspace.unlock()

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root see its descriptors")
    def test_a_stuck_pipe_blocks_nobody_and_ends_with_its_client(self):
        source, sink = os.pipe()
        pipe, clients = os.readlink(f"/proc/self/fd/{sink}"), []

        def ends_in_daemon():
            return open_files(self.workspace.daemon()).count(pipe)

        for method, ends in (
                ("ProtectData", (source, sink)), ("UnprotectData", (source, sink)),
                ("DataInfo", (source,))):
            parameters = {
                "sourceDescriptor": 0, **({"destinationDescriptor": 1} if len(ends) > 1 else {})}
            if method == "ProtectData":
                parameters["owner"] = ANN
            clients.append(self.client())
            clients[-1].send(f"Protection.{method}", ends, **parameters)
        wait_until(lambda: ends_in_daemon() == 5, message="not all calls wait")
        self.assertEqual(self.unprotect(self.protect(b"others")), b"others")
        self.assertEqual(ends_in_daemon(), 5)
        for client in clients:
            client.close()
        wait_until(lambda: ends_in_daemon() == 0, message="a stuck call stays")
        os.close(source)
        os.close(sink)

    def test_a_reader_that_goes_away_and_files_as_ends(self):
        process = subprocess.Popen(
            ["mamctl", "data", "protect", "--owner", ANN], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.workspace.environment)
        process.stdout.close()
        process.stdin.write(pattern(CHUNK * 2))
        with process.stdin, process.stderr:
            self.assertEqual(process.wait(60), -signal.SIGPIPE)
        plain, sealed = self.workspace.root / "plain", self.workspace.root / "sealed"
        plain.write_bytes(pattern(200_000))
        with open(plain, "rb") as source, open(sealed, "wb") as sink:
            source.seek(1000)
            sink.write(b"before")
            sink.flush()
            subprocess.run(
                ["mamctl", "data", "protect", "--owner", ANN], stdin=source, stdout=sink,
                check=True, env=self.workspace.environment)
        self.assertEqual(sealed.read_bytes()[:6], b"before")
        self.assertEqual(self.unprotect(sealed.read_bytes()[6:]), pattern(200_000)[1000:])

    def peak_kib(self):
        status = pathlib.Path(f"/proc/{self.workspace.daemon()}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0])

    def test_a_file_that_is_appended_to_itself_is_refused(self):
        path = self.workspace.root / "both"
        for verb in (("protect", "--owner", ANN), ("unprotect",)):
            path.write_bytes(pattern(200_000))
            with open(path, "rb") as source, open(path, "ab") as destination:
                result = subprocess.run(
                    ["timeout", "60", "mamctl", "data", *verb, "--workspace", self.workspace.name],
                    stdin=source, stdout=destination, stderr=subprocess.PIPE,
                    env=self.workspace.environment)
            self.assertEqual(result.returncode, USAGE, result.stderr)
            self.assertIn(b"one file", result.stderr)
            self.assertEqual(path.stat().st_size, 200_000)

    @unittest.skipUnless(os.getuid() == 0, "the daemon lets nobody but root begin its peak anew")
    def test_a_large_pipe_in_constant_memory(self):
        size = (2048 if LONG else 200) << 20
        # The peak begins anew: the derivation of the passphrase's key took more.
        pathlib.Path(f"/proc/{self.workspace.daemon()}/clear_refs").write_text("5")
        before = self.peak_kib()
        begin = time.monotonic()
        there_and_back = (
            f"head -c {size} /dev/zero | mamctl data protect --owner {ANN}"
            " | mamctl data unprotect")
        result = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {there_and_back} | cmp -n {size} - /dev/zero"
             f" && {there_and_back} | wc -c"],
            capture_output=True, timeout=600, env=self.workspace.environment)
        self.assertEqual(
            (result.returncode, result.stdout.strip()), (0, str(size).encode()), result.stderr)
        grown = self.peak_kib() - before
        print(
            f"{size >> 20} MiB twice there and back: {time.monotonic() - begin:.1f} s, {grown} KiB "
            f"more", flush=True)
        self.assertLess(grown, 16 << 10)


if __name__ == "__main__":
    unittest.main()
