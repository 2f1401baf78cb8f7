"""The pictures of docs/images. Run by scripts/dev screenshots, in a mount namespace of its own."""
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import desktop_pictures

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
HOME = pathlib.Path("/home/ann")
ANN, BOB, CAROL, HERSELF = (
    "ann@contoso.com", "bob@contoso.com", "carol@fabrikam.com", "ann@home.example")
COLUMNS = 92
LIMIT = 150_000
SETTINGS = {
    "KeyDerivation": {"Passes": 1, "MemoryMiB": 8}, "MultiManagedIdentities": True,
    "LockGraceSeconds": 120,
    "LockOn": {"IdleSeconds": 900}, "Groups": {"finance": [ANN, BOB]}}

# What tmux prints for the colours that mamctl uses.
COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea"}
TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><style>
html { background: #0d1117; } body { margin: 0; padding: 22px 26px; color: #d6dde6; }
pre { margin: 0; font: 15px/1.42 "DejaVu Sans Mono", monospace; white-space: pre; }
b { color: #ffffff; }
</style><pre>%s</pre>"""


class Terminal:
    """A tmux of our own, in which commands are typed."""

    def __init__(self, environment, rows):
        self.environment = environment
        self.socket = os.path.join(environment["XDG_RUNTIME_DIR"], "tmux")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(COLUMNS), "-y", str(rows), "sh")
        self.run("PS1='$ '; clear")

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-u", "-S", self.socket, *words], env=self.environment, cwd=HOME, check=True,
            capture_output=True, encoding="utf-8").stdout

    def run(self, command, seconds=2.0):
        self.tmux("send-keys", "-l", command)
        self.tmux("send-keys", "Enter")
        time.sleep(seconds)

    def lines(self):
        lines = self.tmux("capture-pane", "-e", "-p").rstrip("\n").split("\n")
        while lines and plain(lines[-1]).strip() in ("", "$"):
            lines.pop()
        return lines

    def close(self):
        self.tmux("kill-server")


def plain(line):
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def marked_up(lines):
    """HTML of a screen: bold, faint and the plain colours."""
    out, style = [], set()
    for part in re.split(r"(\x1b\[[0-9;]*m)", "\n".join(lines)):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not code:
            colour = next((COLOURS[code] for code in style if code in COLOURS), None)
            css = (f"color:{colour};" if colour else "") + ("opacity:.6;" if "2" in style else "")
            css += "font-weight:bold;" if "1" in style else ""
            out.append(
                f'<span style="{css}">{html.escape(part)}</span>' if css else html.escape(part))
            continue
        for number in code.group(1).split(";"):
            if number in ("", "0"):
                style.clear()
            elif number == "39":
                style -= set(COLOURS)
            elif number == "22":
                style -= {"1", "2"}
            else:
                style = style - set(COLOURS) if number in COLOURS else style
                style.add(number)
    return "".join(out)


def shoot(page, name, width, height, scale=1):
    target = IMAGES / f"{name}.png"
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={profile}",
             f"--force-device-scale-factor={scale}", f"--window-size={width},{height}",
             f"--screenshot={target}",
             f"file://{page}"], check=True, capture_output=True,
             env={**os.environ, "HOME": profile})
    # Each is installed with the documents.
    subprocess.run(["pngquant", "--force", "--output", target, "256", target], check=True)
    size = target.stat().st_size
    print(f"{target.relative_to(ROOT)}: {size // 1000} kB")
    if size > LIMIT:
        raise SystemExit(f"{target} is larger than {LIMIT // 1000} kB")


def shoot_terminal(terminal, name):
    lines = terminal.lines()
    page = HOME / "screen.html"
    page.write_text(TERMINAL % marked_up(lines))
    shoot(page, name, 52 + int(COLUMNS * 9.04), max(140, 46 + int(len(lines) * 21.3)))
    page.unlink()


class Scene:
    """A home with a workspace in it, such as a person may have."""

    def __init__(self, base):
        home = base / "home"
        (home / "ann").mkdir(parents=True)
        subprocess.run(["mount", "--bind", home, "/home"], check=True)
        self.environment = {
            **os.environ, "HOME": str(HOME), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
            "TZ": "UTC",
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}
        for variable, place in (
                ("CONFIG_HOME", ".config"), ("STATE_HOME", ".state"), ("RUNTIME_DIR", ".run")):
            directory = HOME / place
            directory.mkdir(mode=0o700)
            self.environment["XDG_" + variable] = str(directory)
        self.passfile = HOME / ".passphrase"
        self.passfile.write_text("a staple of 9 horses\n")
        self.passfile.chmod(0o600)
        (HOME / ".settings").write_text(json.dumps(SETTINGS))
        (HOME / "Work").mkdir()
        self.ctl("init", ".work", "--name", "work", "--settings", ".settings")
        policies = HOME / ".config/mamd/work/policies"
        (default,) = policies.iterdir()
        rules = json.loads(default.read_text())
        default.write_text(json.dumps({
            **rules, "displayName": "Contoso baseline", "pinRequired": False,
            "appDataEncryptionType": "afterDeviceRestart"}))
        group = {"@odata.type": "#microsoft.graph.groupAssignmentTarget", "groupId": "finance"}
        (policies / "finance.json").write_text(json.dumps({
            **rules, "displayName": "Finance", "pinRequired": False,
            "assignments": [{"target": group}],
            "allowedOutboundDataTransferDestinations": "managedApps",
            "allowedOutboundClipboardSharingLevel": "managedApps",
            "periodOfflineBeforeAccessCheck": "PT12H", "dataBackupBlocked": True}))
        self.ctl("mount", ".work", "Work")
        for account in (ANN, BOB, CAROL):
            self.ctl("account", "register", account, "--passfile", self.passfile)
        self.fill()

    def ctl(self, *words, check=True):
        subprocess.run(
            ["mamctl", *map(str, words)], cwd=HOME, env=self.environment, check=check,
            capture_output=True)

    def fill(self):
        for owner, folder, count, size in (
            (ANN, "contract", 34, 210_000), (BOB, "budget", 12, 640_000),
            (CAROL, "pictures", 21, 150_000),
            (HERSELF, "notes", 48, 31_000)):
            script = (
                f"mkdir -p Work/{folder}; for n in $(seq {count}); do head -c $((n * {size} / "
                f"{count} + 900)) /dev/urandom > Work/{folder}/$n.odt; done")
            self.ctl("run", "--identity", owner, "--unmanaged", "--", "sh", "-c", script)
    def close(self):
        self.ctl("unmount", "Work", check=False)


def picture_status(scene):
    scene.ctl("verify", "--workspace", "work")
    scene.ctl("lock", CAROL, "--now")
    scene.ctl("lock", BOB)
    held = open(HOME / "Work/contract/1.odt", "rb")
    terminal = Terminal(scene.environment, 40)
    terminal.run("mamctl status")
    shoot_terminal(terminal, "status")
    terminal.close()
    held.close()
    scene.ctl("unlock", BOB, "--passfile", scene.passfile)
    scene.ctl("unlock", CAROL, "--passfile", scene.passfile)


def picture_error(scene):
    scene.ctl("lock", ANN, "--now")
    terminal = Terminal(scene.environment, 40)
    for command in (
        "cat Work/contract/7.odt", "mamctl decrypt Work/contract/7.odt -o 7.odt",
        "mamctl info Work/contract/7.odt",
        "mamctl unlok ann@contoso.com"):
        terminal.run(command)
    shoot_terminal(terminal, "error")
    terminal.close()
    scene.ctl("unlock", ANN, "--passfile", scene.passfile)


def picture_progress(scene):
    scene.ctl(
        "run", "--identity", ANN, "--", "sh", "-c",
        "head -c 2500000000 /dev/zero > Work/archive.tar")
    terminal = Terminal(scene.environment, 12)
    terminal.run("ls -hs Work")
    terminal.run("mamctl verify Work", seconds=0)
    best = []
    for _ in range(300):
        lines = terminal.lines()
        # In the middle.
        done = re.search(r"([0-9.]+) GiB/([0-9.]+) GiB", plain("\n".join(lines)))
        if done and float(done.group(1)) > 0.4 * float(done.group(2)):
            best = lines
            break
        time.sleep(0.05)
    if not best:
        raise SystemExit("verify was too fast, or shows no progress")
    terminal.lines = lambda: best
    shoot_terminal(terminal, "progress")
    terminal.close()
    (HOME / "Work/archive.tar").unlink()


def picture_report(scene):
    scene.ctl("unmount", "Work")
    write_days(HOME / ".state/mamd/work/audit")
    scene.ctl("mount", ".work", "Work")
    for account in (ANN, BOB, CAROL):
        scene.ctl("unlock", account, "--passfile", scene.passfile)
    scene.ctl("verify", "--workspace", "work")
    scene.ctl("lock", BOB, "--now")
    page = HOME / "report.html"
    scene.ctl("report", "--html", page)
    shoot(page, "report", 940, 1300)


def write_days(directory):
    """Six working days before today, as a daemon would have recorded them."""
    for file in directory.iterdir():
        file.unlink()
    hours = [
        ("started", None, 7.8), ("unlocked", ANN, 8.1), ("unlocked", BOB, 8.6),
        ("locked", ANN, 12.1), ("unlocked", CAROL, 12.4),
        ("refused", ANN, 12.6), ("unlocked", ANN, 12.9), ("locked", CAROL, 14.2),
        ("refused", CAROL, 15.3), ("locked", BOB, 16.9),
        ("locked", ANN, 18.2), ("stopped", None, 18.5)]
    today = time.time() // 86_400 * 86_400
    records = []
    for day in range(6, 0, -1):
        for event, account, hour in hours:
            # No two days are alike.
            moment = today - day * 86_400 + (hour + day * 3 % 5 / 4) * 3600
            blocked = event == "unlocked" and account == CAROL and day == 3
            records.append((moment, "blocked" if blocked else event, account))
    for sequence, (moment, event, account) in enumerate(sorted(records), 1):
        text = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(moment))
        record = {
            "time": text, "sequence": sequence, "event": event, "count": 1,
            **({"account": account} if account else {})}
        name = "refusals" if event == "refused" else "events"
        with open(directory / f"{name}.{1:019d}.jsonl", "a") as file:
            file.write(json.dumps(record) + "\n")


def main(names):
    IMAGES.mkdir(exist_ok=True)
    pictures = {
        "status": picture_status, "error": picture_error, "progress": picture_progress,
        "report": picture_report}
    desktop = ("prompt", "desktop", "nautilus")
    unknown = set(names) - set(pictures) - set(desktop)
    if unknown:
        raise SystemExit(f"no such picture: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="mamd-pictures-") as base:
        scene = Scene(pathlib.Path(base))
        try:
            for name in pictures:
                if not names or name in names:
                    pictures[name](scene)
            if wanted := [name for name in desktop if not names or name in names]:
                desktop_pictures.take(scene, HOME, IMAGES, wanted, (ANN, BOB))
        finally:
            scene.close()
            os.chdir("/")
            subprocess.run(["umount", "-l", "/home"], check=False)


main(sys.argv[1:])
