"""A real slapd of a test's own, with TLS: people, and groups of people."""
import base64
import pathlib
import shutil
import subprocess
import time
import unittest

from nats_engine import Authority
from ports import free_port

NEEDS = ("slapd", "ldap-utils", "python3-cryptography")

SLAPD = shutil.which("slapd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
BASE = "dc=contoso,dc=com"
READER = f"cn=reader,{BASE}"
ADMINISTRATOR = f"cn=admin,{BASE}"
PASSWORD = "only for reading"

with_slapd = unittest.skipUnless(
    SLAPD and shutil.which("ldapsearch"),
    "slapd and ldap-utils are not installed: scripts/setup --tests")


def person_dn(name):
    return f"uid={name},ou=people,{BASE}"


def group_dn(name):
    return f"cn={name},ou=groups,{BASE}"


def ldif(dn, attributes):
    """All values in base64, so that each may have any bytes."""
    lines = [f"dn:: {base64.b64encode(dn.encode()).decode()}"]
    for name, values in attributes.items():
        for value in [values] if isinstance(values, (str, bytes)) else values:
            raw = value if isinstance(value, bytes) else value.encode()
            lines.append(f"{name}:: {base64.b64encode(raw).decode()}")
    return "\n".join(lines) + "\n\n"


def person(name, mail=None):
    return ldif(person_dn(name), {
        "objectClass": "inetOrgPerson", "cn": name, "sn": name,
        "mail": f"{name}@contoso.com" if mail is None else mail})


def group(name, *members):
    return ldif(group_dn(name), {"objectClass": "groupOfNames", "cn": name, "member": members})


class Slapd:
    """Listens with StartTLS, with TLS, and on a socket."""

    def __init__(self, place, limits=""):
        self.place = pathlib.Path(place)
        (self.place / "data").mkdir(parents=True)
        self.authority = Authority(self.place)
        certificate, key = self.authority.server()
        # An AppArmor profile for Debian's path keeps slapd in Debian's directories.
        self.program = shutil.copy(SLAPD, self.place / "slapd")
        self.port, self.tls_port = free_port(), free_port()
        self.socket = self.place / "ldapi"
        self.settings = self.place / "slapd.conf"
        schemas = "\n".join(
            f"include /etc/ldap/schema/{name}.schema"
            for name in ("core", "cosine", "inetorgperson"))
        self.settings.write_text(f"""
            {schemas}
            modulepath /usr/lib/ldap
            moduleload back_mdb
            TLSCACertificateFile {self.authority.path}
            TLSCertificateFile {certificate}
            TLSCertificateKeyFile {key}
            authz-regexp "gidNumber=.*,cn=peercred,cn=external,cn=auth" "{READER}"
            database mdb
            suffix "{BASE}"
            rootdn "{ADMINISTRATOR}"
            rootpw {PASSWORD.replace(" ", "-")}
            directory {self.place}/data
            maxsize 1073741824
            dbnosync
            access to attrs=userPassword by anonymous auth by * none
            access to * by dn.exact="{READER}" read by * none
            {limits}
            """.replace("\n            ", "\n"))
        self.process, self.schemes = None, ("ldap", "ldaps", "ldapi")
        self.load(
            ldif(BASE, {"objectClass": ["dcObject", "organization"], "dc": "contoso", "o": "c"}),
            *(ldif(f"ou={name},{BASE}", {"objectClass": "organizationalUnit", "ou": name})
              for name in ("people", "groups")),
            ldif(READER, {
                "objectClass": ["applicationProcess", "simpleSecurityObject"], "cn": "reader",
                "userPassword": PASSWORD}))

    def load(self, *entries):
        """Adds entries while it does not run."""
        subprocess.run(
            [self.program, "-T", "add", "-q", "-f", self.settings], input="".join(entries),
            text=True, check=True, capture_output=True)

    def start(self):
        self.log = open(self.place / "log", "ab")
        uris = {"ldap": self.uri, "ldaps": self.tls_uri, "ldapi": self.socket_uri}
        self.process = subprocess.Popen(
            [self.program, "-d", "stats", "-f", self.settings, "-h",
             " ".join(uris[scheme] for scheme in self.schemes)],
            stdout=self.log, stderr=self.log)
        end = time.monotonic() + 60
        while subprocess.run(
                ["ldapsearch", "-x", "-H", self.socket_uri, "-b", "", "-s", "base"],
                capture_output=True, check=False).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError((self.place / "log").read_text()[-3000:])
            time.sleep(0.05)
        return self

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(60)
            self.process = None
            self.log.close()

    def stop_tls(self):
        """From its next start."""
        lines = self.settings.read_text().splitlines()
        self.settings.write_text(
            "\n".join(line for line in lines if not line.startswith("TLS")) + "\n")
        self.schemes = ("ldap", "ldapi")

    def set_members(self, name, *members):
        """Of a group of a server that runs."""
        change = f"dn: {group_dn(name)}\nchangetype: modify\nreplace: member\n" + "".join(
            f"member: {member}\n" for member in members)
        subprocess.run(
            ["ldapmodify", "-x", "-H", self.socket_uri, "-D", ADMINISTRATOR, "-w",
             PASSWORD.replace(" ", "-")], input=change, text=True, check=True,
            capture_output=True)

    def count_binds(self):
        """Those that tell the reader's name."""
        return (self.place / "log").read_text().count(f'BIND dn="{READER}"')

    @property
    def socket_uri(self):
        return f"ldapi://{str(self.socket).replace('/', '%2f')}"

    @property
    def uri(self):
        return f"ldap://127.0.0.1:{self.port}"

    @property
    def tls_uri(self):
        return f"ldaps://127.0.0.1:{self.tls_port}"
