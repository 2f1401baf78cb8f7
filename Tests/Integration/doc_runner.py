"""Runs the console blocks of a document: a machine of the document's own, a shell in it for each
user, a terminal.

    ```console
    # a comment
    $ mamctl owner Work/plan.txt      # status 4
    -	Work/plan.txt
    ```

Lines beginning `$ ` are commands; `> `, `\\` at the end and here-documents go on with them. What
follows is the output, in which `…` stands for anything, and alone on a line for any lines. A
command must end with 0, unless its comment says `# status N` or `# fails …`, or the next command
asks for `$?`. Comments of HTML directly before a block:

    <!-- not-run: REASON -->      the block is left out
    <!-- run-as: root -->         by root, else (`user`) by ann
    <!-- types: one | two -->     what is typed at prompts that show it; when there is no more, the
                                  passphrase, at prompts that hide it
    <!-- prepare: COMMAND -->     run before the block, for what a reader has already, or in place
                                  of one that is left out; several are run one after the other
"""
import dataclasses
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import tempfile
import termios
import time

import preloaded
from login_bus import MORTAL
from running import PREFIX
from workspace import PASSPHRASE, PROGRAMS, ROOT, wait_until

ANN_ID = 1000
USERS = {"user": "ann", "root": "root"}
COMMENT = re.compile(r"<!-- (not-run|run-as|types|prepare): (.*?) -->$")
# On the terminal, after all that a command shows there.
END = b"\0"
HERE_DOCUMENT = re.compile(r"(?<!<)<<(?!<)-?\s*['\"]?(\w+)['\"]?")


@dataclasses.dataclass
class Step:
    line: int
    command: str
    expected: list
    status: object = 0  # None: any


@dataclasses.dataclass
class Block:
    line: int
    marks: dict
    steps: list


class Failure(AssertionError):
    """Of a document, at a line."""


# Reading

def blocks(text):
    """The console blocks of a document."""
    found, marks, start, body = [], {}, 0, None
    for number, line in enumerate(text.splitlines(), 1):
        if body is not None:
            if line.strip() == "```":
                found.append(Block(start, marks, steps(body)))
                body, marks = None, {}
            else:
                body.append((number, line))
        elif line.strip() == "```console":
            start, body = number, []
        elif mark := COMMENT.match(line.strip()):
            marks[mark[1]] = "; ".join(filter(None, (marks.get(mark[1]), mark[2])))
        elif line.strip():
            marks = {}
    return found


def steps(lines):
    found, ahead = [], list(lines)
    while ahead:
        number, line = ahead.pop(0)
        if line.startswith("$ "):
            found.append(Step(number, take_command(line[2:], ahead), []))
        elif line.startswith("# ") or (not found and not line.strip()):
            continue
        elif not found:
            raise Failure(f"line {number}: output before any command")
        else:
            found[-1].expected.append(line)
    for step, after in zip(found, [*found[1:], None]):
        step.status = wanted_status(step.command, after)
    return found


def take_command(command, ahead):
    """The command with the lines that belong to it."""
    end = HERE_DOCUMENT.search(command)
    while ahead:
        is_open = end and command.rsplit("\n", 1)[-1] != end[1]
        goes_on = is_open or command.endswith("\\") or ahead[0][1].startswith("> ")
        if not goes_on:
            break
        command += "\n" + ahead.pop(0)[1].removeprefix("> ")
    return command


def wanted_status(command, after):
    if said := re.search(r"\s# status (\d+)\b", command):
        return int(said[1])
    if re.search(r"\s# fails\b", command):
        return "failure"
    return None if after and re.match(r"echo .*\$\?", after.command) else 0


def matches(expected, output):
    """`…` alone is any number of lines, within a line anything but its end."""
    pattern = ""
    for line in trimmed(expected):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(
                re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n"
    return re.fullmatch(
        pattern, "".join(line.rstrip() + "\n" for line in trimmed(output.splitlines())))


def trimmed(lines):
    lines = list(lines)
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


# Running

class Place:
    """Name spaces for mounts, processes and ports, in which /home, /etc, /var/lib, /run, /srv and
    /usr/share/doc are the document's own."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix=PREFIX))
        self.root.chmod(0o755)
        (self.root / "bin").mkdir()
        for program in ("mamd", "mamctl", "mamfleet"):
            shutil.copy2(shutil.which(program), self.root / "bin")
        shutil.copytree(ROOT / "examples", self.root / "examples")
        shutil.copy2(preloaded.library("cheap_derivation", ROOT / ".build"), self.root / "bin")
        with open(self.root / "log", "wb") as log:
            self.process = subprocess.Popen(
                [*MORTAL, "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "sh",
                PROGRAMS / "document_machine.sh", self.root, str(ANN_ID)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.shells = {}

    def start(self):
        wait_until(
            lambda: self.process.poll() is not None or self.is_up(), 30,
            "no place to run documents in")
        if self.process.poll() is not None:
            raise RuntimeError((self.root / "log").read_text(errors="replace"))
        return self

    def is_up(self):
        children = pathlib.Path(
            f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.init = children[0] if children else None
        return self.init and pathlib.Path(f"/proc/{self.init}/comm").read_text() == "sleep\n"

    def shell(self, user):
        if user not in self.shells:
            self.shells[user] = Shell(self, user)
        return self.shells[user]

    def close(self):
        for shell in self.shells.values():
            shell.close()
        self.process.kill()  # and with process 1 of the name space all that was started in it
        self.process.wait()
        shutil.rmtree(self.root, ignore_errors=True)


class Shell:
    """A bash of a user's with a terminal to type at; what commands print goes to a file."""

    SECONDS = 60

    def __init__(self, place, user):
        self.output = place.root / "out" / user
        commands, self.commands = os.pipe()
        self.statuses, statuses = os.pipe()
        self.terminal, terminal = pty.openpty()
        identity = [] if user == "root" else [
            "setpriv", f"--reuid={ANN_ID}", f"--regid={ANN_ID}", "--clear-groups"]
        environment = {
            "HOME": f"/home/{user}", "USER": user, "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}
        if user != "root":
            environment["XDG_RUNTIME_DIR"] = f"/run/user/{ANN_ID}"
        # Read here: its user need not reach these tests.
        script = (PROGRAMS / "document_shell.sh").read_text()
        self.process = subprocess.Popen(
            ["nsenter", "-t", place.init, "-m", "-n", "-p", *identity, "setsid", "--ctty", "--wait",
             "bash", "-c", script, "bash", str(commands), str(statuses), self.output],
            stdin=terminal, stdout=terminal, stderr=terminal, env=environment,
            pass_fds=(commands, statuses))
        for descriptor in (commands, statuses, terminal):
            os.close(descriptor)

    def run(self, command, answers):
        """What it showed, on the terminal and then as output, and its status."""
        os.write(self.commands, command.encode() + b"\0")
        shown, taken, answering, end = b"", 0, False, time.monotonic() + self.SECONDS
        while END not in shown:
            is_ready = select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]
            printed = self.output.read_bytes()[taken:] if self.output.exists() else b""
            if not is_ready:
                raise Failure(
                    f"no end after {self.SECONDS} s; it showed: "
                    f"{(shown + printed).decode(errors='replace')}")
            asked = os.read(self.terminal, 4096)
            # What was printed stands before a prompt, and behind the end of an answer's line.
            answer = asked[:asked.find(b"\n") + 1 or None] if answering else b""
            answering = answering and not answer.endswith(b"\n")
            shown += answer + printed + asked[len(answer):]
            taken += len(printed)
            if asked.endswith(b": "):
                self.type(answers)
                answering = True
        status = int(os.read(self.statuses, 16))
        return shown.replace(END, b"").decode(errors="replace").replace("\r\n", "\n"), status

    def type(self, answers):
        if answers:
            answer = answers.pop(0)
        else:
            answer = PASSPHRASE
            # A program that asks for a secret throws away what was typed before echo was off.
            wait_until(
                lambda: not termios.tcgetattr(self.terminal)[3] & termios.ECHO, self.SECONDS,
                "a prompt does not hide what is typed")
        os.write(self.terminal, answer.encode() + b"\n")

    def close(self):
        self.process.kill()
        self.process.wait()
        for descriptor in (self.commands, self.statuses, self.terminal):
            os.close(descriptor)


def run_document(place, path):
    """Runs all blocks of a document; returns the reasons of those that are left out."""
    left_out = []
    for block in blocks(path.read_text()):
        if "not-run" in block.marks:
            left_out.append(block.marks["not-run"])
            block.steps.clear()
        shell = place.shell(USERS[block.marks.get("run-as", "user")])
        answers = block.marks["types"].split(" | ") if "types" in block.marks else []
        if "prepare" in block.marks:
            block.steps.insert(0, Step(block.line, block.marks["prepare"], ["…"]))
        for step in block.steps:
            check(path.name, step, *shell.run(step.command, answers))
    return left_out


def check(name, step, output, status):
    where = f"{name}:{step.line}: $ {step.command}\n"
    wanted = step.status
    if wanted is not None and (status == 0 if wanted == "failure" else status != wanted):
        raise Failure(f"{where}ended with {status}, not {wanted}:\n{output}")
    if not matches(step.expected, output):
        shown = "\n".join(step.expected)
        raise Failure(f"{where}--- the document has:\n{shown}\n--- it shows:\n{output}")
