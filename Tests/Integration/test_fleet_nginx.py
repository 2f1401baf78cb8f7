"""The page and the status behind nginx, as examples/fleet-page has them: for administrators'
certificates alone."""
import json
import re
import shutil
import socket
import ssl
import subprocess
import unittest
import urllib.error
import urllib.request

from fleet_directory import Directory
from ports import free_port
from workspace import ROOT, Workspace, wait_until

NEEDS = ("nginx-light", "openssl")

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


@unittest.skipUnless(NGINX, "nginx is not installed")
class Nginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.root = cls.workspace.root
        cls.examples = ROOT / "examples" / "fleet-page"
        cls.place, cls.keys = cls.root / "www", cls.root / "keys"
        cls.place.mkdir()
        cls.keys.mkdir()
        for name in ("server", "admins", "others"):
            cls.issue(name)
        for name, by in (("ann", "admins"), ("mallory", "others")):
            cls.issue(name, by)
        directory = Directory(cls.root / "org")
        directory.add("pc-1")
        cls.write_page(directory.path)
        cls.start()

    @classmethod
    def issue(cls, name, by=None):
        """A certificate of its own, or of another one's."""
        signer = ["-CA", cls.keys / f"{by}.pem", "-CAkey", cls.keys / f"{by}.key"] if by else []
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-keyout", cls.keys / f"{name}.key", "-out", cls.keys / f"{name}.pem",
             "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost", "-days", "2",
             *signer], check=True, capture_output=True)

    @classmethod
    def write_page(cls, organization):
        unit = (cls.examples / "mamd-fleet-page.service").read_text()
        line = re.search(r"ExecStart=/bin/sh -ec '(.*?)'\n", unit, re.DOTALL).group(1)
        subprocess.run(
            ["sh", "-ec", line], cwd=cls.place, check=True,
            env={**cls.workspace.environment, "MAMCTL_ORGANIZATION": str(organization)})

    @classmethod
    def start(cls):
        cls.port = free_port()
        server = (cls.examples / "nginx.conf").read_text()
        server = server.replace("443", f"127.0.0.1:{cls.port}").replace(
            "/etc/mamd-fleet", str(cls.keys)).replace("/var/lib/mamd-fleet", str(cls.place))
        configuration = cls.root / "nginx.conf"
        paths = " ".join(
            f"{kind}_temp_path {cls.root}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration.write_text(
            f"user root; daemon off; pid {cls.root}/nginx.pid; error_log {cls.root}/error.log;\n"
            f"events {{}} http {{ access_log off; {paths}\n{server}\n}}")
        cls.server = subprocess.Popen([NGINX, "-c", configuration, "-p", cls.root])
        cls.addClassCleanup(cls.server.wait)
        cls.addClassCleanup(cls.server.terminate)

        def is_up():
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", cls.port)) == 0

        wait_until(is_up)

    def get(self, path, certificate="ann", version=None):
        context = ssl.create_default_context(cafile=self.keys / "server.pem")
        if certificate:
            context.load_cert_chain(
                self.keys / f"{certificate}.pem", self.keys / f"{certificate}.key")
        if version:
            context.maximum_version = version
        # Whatever proxy this machine has.
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
        try:
            with opener.open(f"https://localhost:{self.port}{path}", timeout=60) as found:
                return found.status, dict(found.headers), found.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()

    def test_administrators_get_the_page_and_the_status(self):
        status, headers, body = self.get("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html"))
        self.assertEqual(body, (self.place / "page.html").read_bytes())
        self.assertEqual(
            (headers["Cache-Control"], headers["X-Frame-Options"]), ("no-store", "DENY"))
        status, headers, body = self.get("/status.json")
        self.assertEqual((status, headers["Content-Type"]), (200, "application/json"))
        self.assertEqual(json.loads(body)["machines"][0]["name"], "pc-1")

    def test_there_is_nothing_else(self):
        (self.place / "secret").write_text("secret")
        for path in ("/secret", "/page.html", "/new.html", "/..%2fkeys/server.key", "/index.html"):
            with self.subTest(path):
                self.assertIn(self.get(path)[0], (400, 404))

    def test_nobody_else_gets_anything(self):
        for certificate in (None, "mallory"):
            for path in ("/", "/status.json", "/nosuch"):
                with self.subTest(certificate=certificate, path=path):
                    status, _, body = self.get(path, certificate)
                    self.assertEqual(status, 400)
                    self.assertNotIn(b"pc-1", body)
        with self.assertRaises(OSError):
            self.get("/", version=ssl.TLSVersion.TLSv1_2)


if __name__ == "__main__":
    unittest.main()
