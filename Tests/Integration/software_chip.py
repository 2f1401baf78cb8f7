"""A TPM 2.0 chip in software, in a directory of its own."""
import pathlib
import subprocess
import tempfile

from workspace import wait_until

NEEDS = (
    "libtss2-dev", "libtss2-esys-3.0.2-0", "libtss2-mu0", "libtss2-tcti-swtpm0", "libtss2-tctildr0",
    "swtpm", "tpm2-tools")


class SoftwareChip:
    """It starts at once. What it keeps outlasts `stop`, as a chip's does its machine's rest."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.socket = self.root / "chip"
        self.replace()

    @property
    def tcti(self):
        return f"swtpm:path={self.socket}"

    def replace(self):
        """By another chip; the one of before is in no drawer."""
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="chip-", dir=self.root))
        self.start()

    def start(self):
        for path in self.socket, self.control:
            path.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.state}", "--server",
             f"type=unixio,path={self.socket}", "--ctrl", f"type=unixio,path={self.control}",
             "--flags", "not-need-init,startup-clear"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        wait_until(self.socket.exists, message="swtpm does not listen")

    @property
    def control(self):
        return self.socket.with_suffix(".ctrl")

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, program, *arguments):
        """One of tpm2-tools."""
        return subprocess.run(
            [f"tpm2_{program}", "-T", self.tcti, *map(str, arguments)], check=True,
            capture_output=True, text=True).stdout

    def keep_storage_key(self):
        """As provisioning does, at the handle that it returns. It is another than the daemon
        makes."""
        key = self.root / "storage.key"
        self.ask(
            "createprimary", "-C", "o", "-g", "sha256", "-G", "ecc256:aes128cfb", "-c", key, "-a",
            "fixedtpm|fixedparent|sensitivedataorigin|userwithauth|noda|restricted|decrypt")
        self.ask("evictcontrol", "-C", "o", "-c", key, "0x81000001")
        self.ask("flushcontext", "-t")
        return "0x81000001"

    def transients(self):
        return self.ask("getcap", "handles-transient").split()

    def sessions(self):
        return self.ask("getcap", "handles-loaded-session").split()
