"""As much of a NATS client as an administrator needs: one connection, one thread."""
import base64
import collections
import json
import os
import select
import socket
import ssl
import time

from fleet_nkeys import url_base64

Message = collections.namedtuple("Message", "subject status head body")


class Failed(Exception):
    """The connection, or what was asked for."""


class Client:
    def __init__(self, address, ca, key, token, inbox=None, timeout=5.0):
        self.inbox = inbox or f"_INBOX.{os.urandom(8).hex()}"
        self.number = 0
        self.data = b""
        self.others = collections.deque()  # that came before an answer
        self.timeout = timeout
        self.begin_wait()
        try:
            self.socket = socket.create_connection(address, timeout=timeout)
            self.greet(ca, key, token)
        except OSError as error:
            raise Failed(str(error)) from error

    def greet(self, ca, key, token):
        nonce = json.loads(self.line().removeprefix(b"INFO "))["nonce"].encode()
        context = ssl.create_default_context(cafile=ca)
        self.socket = context.wrap_socket(self.socket, server_hostname="engine.test")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.send(b"CONNECT " + json.dumps({
            "verbose": False, "pedantic": False, "tls_required": True, "headers": True,
            "no_responders": True, "protocol": 1, "lang": "python", "version": "1", "jwt": token,
            "sig": url_base64(key.sign(nonce))}).encode() + b"\r\n")
        self.subscribe(f"{self.inbox}.>")

    def close(self):
        self.socket.close()

    # Bytes

    def send(self, data):
        try:
            self.socket.settimeout(self.timeout)
            self.socket.sendall(data)
        except OSError as error:
            raise Failed(str(error)) from error

    def begin_wait(self):
        """Of one answer: what else the server says, its PINGs above all, does not prolong it."""
        self.end = time.monotonic() + self.timeout

    def more(self):
        left = self.end - time.monotonic()
        if left <= 0:
            raise Failed("timeout")
        try:
            self.socket.settimeout(left)
            data = self.socket.recv(1 << 16)
        except OSError as error:
            raise Failed(str(error) or "timeout") from error
        if not data:
            raise Failed("the server closed the connection")
        self.data += data

    def line(self):
        while b"\r\n" not in self.data:
            self.more()
        line, _, self.data = self.data.partition(b"\r\n")
        return line

    def take(self, count):
        while len(self.data) < count:
            self.more()
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    # Messages

    def subscribe(self, subject):
        self.number += 1
        self.send(f"SUB {subject} {self.number}\r\n".encode())

    def has_more(self, seconds):
        """Whether something has arrived, or does within so many seconds."""
        return bool(self.others or self.data
                    or self.socket.pending()  # ty: ignore[missing-attribute] - it has TLS
                    or select.select([self.socket], [], [], seconds)[0])

    def next(self):
        """The next message; whatever else the server says is dealt with."""
        self.begin_wait()
        return self.others.popleft() if self.others else self.next_read()

    def next_read(self):
        while True:
            words = self.line().split(b" ")
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] == b"-ERR":
                raise Failed(b" ".join(words).decode())
            elif words[0] in (b"MSG", b"HMSG"):
                total = int(words[-1])
                head = int(words[-2]) if words[0] == b"HMSG" else 0
                data = self.take(total + 2)
                status = data[8:head].strip()[:4].strip() if head else b""
                status = int(status) if status.isdigit() else 0
                return Message(words[1].decode(), status, data[:head], data[head:total])

    def publish(self, subject, body=b"", reply="", headers=None):
        head = b""
        if headers:
            head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            head = f"NATS/1.0\r\n{head}\r\n".encode()
        sizes = f"{len(head)} {len(head) + len(body)}" if headers else f"{len(body)}"
        verb = "HPUB" if headers else "PUB"
        reply = f"{reply} " if reply else ""
        self.send(f"{verb} {subject} {reply}{sizes}\r\n".encode() + head + body + b"\r\n")

    def request(self, subject, body=b"", headers=None):
        self.number += 1
        reply = f"{self.inbox}.{self.number}"
        self.publish(subject, body, reply, headers)
        self.begin_wait()
        while (message := self.next_read()).subject != reply:
            self.others.append(message)
        if message.status == 503:
            raise Failed(f"nobody answers {subject}")
        return message

    def api(self, endpoint, **request):
        answer = json.loads(
            self.request(f"$JS.API.{endpoint}", json.dumps(request).encode()).body)
        if "error" in answer:
            raise Failed(f"{endpoint}: {answer['error']['description']}")
        return answer

    # Documents

    def push(self, subject, body, expected=None):
        """The sequence number under which it is stored."""
        headers = expected is not None and {"Nats-Expected-Last-Subject-Sequence": expected}
        return sequence(self.request(subject, body, headers or None))

    def push_all(self, messages):
        """Many (subject, body) at once; when all are stored."""
        first = self.number + 1
        for subject, body in messages:
            self.number += 1
            self.publish(subject, body, f"{self.inbox}.{self.number}")
        wanted = {f"{self.inbox}.{number}" for number in range(first, self.number + 1)}
        self.begin_wait()
        while wanted:
            message = self.next_read()
            if message.subject in wanted:
                wanted.discard(message.subject)
                sequence(message)

    def last(self, subject):
        """(sequence, body) as the stream's leader has it; other replicas may be behind."""
        try:
            found = self.api("STREAM.MSG.GET.DOCS", last_by_subj=subject)["message"]
        except Failed as failure:
            if "no message found" in str(failure):
                return 0, b""
            raise
        return found["seq"], base64.b64decode(found.get("data", ""))

    def newest(self, subject, stream="DOCS"):
        """The same by a direct get, which any replica answers."""
        message = self.request(f"$JS.API.DIRECT.GET.{stream}.{subject}")
        if message.status == 404:
            return 0, b""
        if message.status:
            raise Failed(f"status {message.status}")
        head = dict(
            line.split(": ", 1) for line in message.head.decode().split("\r\n") if ": " in line)
        return int(head["Nats-Sequence"]), message.body


def sequence(message):
    answer = json.loads(message.body)
    if "error" in answer:
        raise Failed(answer["error"]["description"])
    return answer["seq"]
