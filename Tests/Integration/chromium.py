"""Chromium without a window, driven over its debugging pipe: no port, and no other program."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

from running import PREFIX
from workspace import wait_until

NEEDS = ("chromium", "fonts-dejavu-core")


class Chromium:
    """One tab. `requests` has the URLs of all that it asked for, `said` what its console showed."""

    def __init__(self, *options):
        self.home = tempfile.mkdtemp(prefix=PREFIX + "chromium-")
        self.said, self.requests, self.last, self.rest, self.events = [], [], 0, b"", []
        there, mine = os.pipe()
        back, theirs = os.pipe()
        self.output, self.input = mine, back

        def place():
            # Both above 4 first: one may be the other's place.
            reading, writing = os.dup(there), os.dup(theirs)
            os.dup2(reading, 3), os.dup2(writing, 4)
            os.set_inheritable(3, True), os.set_inheritable(4, True)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", "--disable-background-networking", "--no-first-run",
             f"--user-data-dir={self.home}", *options, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=place, env={**os.environ, "HOME": self.home})
        os.close(there), os.close(theirs)
        self.session = None
        # It answers before it has a tab.
        wait_until(self.pages)
        (target, *_) = self.pages()
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Accessibility"):
            self.call(f"{domain}.enable")

    def pages(self):
        return [found for found in self.call("Target.getTargets")["targetInfos"]
                if found["type"] == "page"]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.output), os.close(self.input)
        shutil.rmtree(self.home, ignore_errors=True)

    def call(self, method, **parameters):
        self.last += 1
        number = self.last
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            found = self.receive()
            if found.get("id") == number:
                if "error" in found:
                    raise AssertionError(f"{method}: {found['error']}")
                return found["result"]

    def receive(self, seconds=90):
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], seconds)[0]:
                raise AssertionError("chromium does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise AssertionError("chromium has ended")
            self.rest += part
        message, _, self.rest = self.rest.partition(b"\0")
        found = json.loads(message)
        self.note(found)
        return found

    def note(self, found):
        method, parameters = found.get("method"), found.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.consoleAPICalled":
            self.said.append(json.dumps(parameters["args"]))
        elif method == "Runtime.exceptionThrown":
            self.said.append(json.dumps(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.said.append(parameters["entry"]["text"])
        if method:
            self.events.append(method)

    def open(self, url, width=1280, height=900, dark=False):
        """Loads it, and returns the seconds until it had loaded."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events, self.requests, self.said = [], [], []
        start = time.monotonic()
        self.call("Page.navigate", url=str(url))
        while "Page.loadEventFired" not in self.events:
            self.receive()
        return time.monotonic() - start

    def run(self, script):
        """The value of an expression, which must be JSON."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise AssertionError(found["exceptionDetails"])
        return found["result"].get("value")

    def press(self, *keys):
        codes = {"Tab": 9, "Enter": 13, "Space": 32}
        for key in keys:
            text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
            name = " " if key == "Space" else key
            for kind in ("keyDown", "keyUp"):
                self.call(
                    "Input.dispatchKeyEvent", type=kind, key=name, code=key,
                    windowsVirtualKeyCode=codes.get(key, ord(key[0].upper())),
                    **({"text": text} if text and kind == "keyDown" else {}))

    def screenshot(self, path, whole=True):
        options = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {
                "x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12_000),
                "scale": 1}
            options["captureBeyondViewport"] = True
        found = self.call("Page.captureScreenshot", format="png", **options)
        pathlib.Path(path).write_bytes(base64.b64decode(found["data"]))
