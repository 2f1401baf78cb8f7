"""A print service of the test's own: CUPS with a printer that puts what it is sent into files."""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile

from running import PREFIX
from workspace import ROOT, wait_until

NEEDS = ("cups-client", "cups-daemon")

PRINTER = """#!/bin/sh
[ $# = 0 ] && exit 0
cat "${6:--}" > "${DEVICE_URI#keep:}/part"
mv "${DEVICE_URI#keep:}/part" "${DEVICE_URI#keep:}/$1"
"""
FILES = """ServerRoot {root}/conf
ServerBin {root}/bin
RequestRoot {root}/spool
TempDir {root}/tmp
CacheDir {root}/cache
StateDir {root}/state
DataDir {root}/data
AccessLog {root}/access_log
ErrorLog {root}/error_log
PageLog {root}/page_log
"""
SERVICE = """Listen {root}/run/cups.sock
LogLevel info
Browsing No
WebInterface No
<Location />
Order allow,deny
Allow all
</Location>
<Policy default>
<Limit All>
Order deny,allow
</Limit>
</Policy>
<Policy authenticated>
<Limit All>
AuthType Default
Require valid-user
Order deny,allow
</Limit>
</Policy>
"""
PRINTERS = """<Printer plain>
DeviceURI keep:{root}/printed
State Idle
Accepting Yes
</Printer>
<Printer asking>
DeviceURI mamd:keep:{root}/printed
State Idle
Accepting Yes
</Printer>
<Printer certain>
DeviceURI mamd:keep:{root}/printed
OpPolicy authenticated
State Idle
Accepting Yes
</Printer>
"""


class PrintService:
    """Its socket is at /run/cups/cups.sock for commands that ``with_it`` runs, in a mount name
    space: the machine's own service, if it has one, is left alone. `runtime`: what XDG_RUNTIME_DIR
    is for root's sessions, as seen by the service."""

    def __init__(self, runtime):
        self.directory = tempfile.TemporaryDirectory(prefix=PREFIX + "cups-")
        self.root, self.runtime = pathlib.Path(self.directory.name), pathlib.Path(runtime)

    def start(self):
        self.root.chmod(0o755)
        for name in ("run", "bin/backend", "bin/filter", "spool", "tmp", "cache", "state", "conf",
                     "data/mime", "printed"):
            (self.root / name).mkdir(parents=True)
        # As lp, which the printer's own program runs as.
        shutil.chown(self.root / "printed", "lp")
        backends = self.root / "bin" / "backend"
        (backends / "keep").write_text(PRINTER)
        (backends / "keep").chmod(0o755)
        shutil.copy(ROOT / "packaging" / "cups" / "mamd-print", backends / "mamd")
        (backends / "mamd").chmod(0o700)
        # In the service's PATH, for all users.
        shutil.copy(shutil.which("mamctl"), self.root / "bin" / "filter" / "mamctl")
        (self.root / "bin" / "daemon").symlink_to("/usr/lib/cups/daemon")
        for name, text in (("cups-files", FILES), ("cupsd", SERVICE), ("printers", PRINTERS)):
            (self.root / "conf" / f"{name}.conf").write_text(text.format(root=self.root))
        (self.root / "data" / "mime" / "mime.types").write_text("text/plain printable(0,1024)\n")
        script = ('mkdir -p /run/user && mount -t tmpfs none /run/user && mkdir /run/user/0 &&'
                  ' mount --bind "$1" /run/user/0 && shift && exec "$@"')
        self.service = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", script, "sh", self.runtime, "cupsd", "-f",
             "-c", self.root / "conf" / "cupsd.conf", "-s", self.root / "conf" / "cups-files.conf"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(self.answers, message="cupsd did not start")
        return self

    def answers(self):
        with socket.socket(socket.AF_UNIX) as client:
            return client.connect_ex(str(self.root / "run" / "cups.sock")) == 0

    def with_it(self, *words):
        script = ('mkdir -p /run/cups && mount --bind "$1" /run/cups && shift && exec "$@"')
        return ["unshare", "--mount", "sh", "-c", script, "sh", str(self.root / "run"),
                *map(str, words)]

    def close(self):
        self.service.terminate()
        self.service.wait(timeout=60)
        self.directory.cleanup()

    @property
    def log(self):
        return (self.root / "error_log").read_text(errors="replace")

    def printed(self):
        """What the printer has finished, by the jobs' numbers."""
        place = self.root / "printed"
        return [path.read_bytes() for path in sorted(place.glob("[0-9]*"))]

    def waiting(self):
        """The jobs that are neither printed nor canceled: their names, held ones too."""
        done = subprocess.run(
            ["lpstat", "-o"], capture_output=True, text=True, check=True,
            env={**os.environ, "CUPS_SERVER": str(self.root / "run" / "cups.sock")})
        return [line.split()[0] for line in done.stdout.splitlines()]
