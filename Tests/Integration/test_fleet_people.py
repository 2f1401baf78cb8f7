"""People and groups of a real slapd become signed memberships."""
import base64
import json
import shutil
import socket
import time
import unittest
import urllib.parse

from carrier import Organization, group_target
from fleet_directory import KeyedDirectory, Machine
from ldap_server import (
    BASE, PASSWORD, READER, Slapd, group, group_dn, ldif, person, person_dn, with_slapd)
from workspace import DONE, NOT_FOUND, REFUSED, ROOT, UNREACHABLE, USAGE, Workspace

ATTENTION = 10
UNLIMITED = "sizelimit unlimited"


class PeopleCase(unittest.TestCase):
    limits = UNLIMITED

    def setUp(self):
        self.workspace = Workspace()
        self.addCleanup(self.workspace.close)
        self.organization = Organization(self.workspace)
        self.key = self.organization.keys["ann"]
        self.slapd = Slapd(self.workspace.root / "slapd", self.limits)
        self.addCleanup(self.slapd.stop)
        self.write_password(PASSWORD + "\n")
        self.settings = {
            "uri": self.slapd.uri, "certificates": str(self.slapd.authority.path),
            "bindDN": READER, "passwordFile": "people.password", "base": f"ou=people,{BASE}",
            "filter": "(objectClass=inetOrgPerson)", "name": "mail",
            "groupBase": f"ou=groups,{BASE}", "groupFilter": "(objectClass=groupOfNames)",
            "groups": {"lab": group_dn("lab")}}
        self.configure()

    def write_password(self, text, mode=0o600):
        path = self.organization.path / "people.password"
        path.write_text(text)
        path.chmod(mode)

    def configure(self, **changes):
        """None leaves a key out."""
        self.settings = {
            key: value for key, value in {**self.settings, **changes}.items() if value is not None}
        (self.organization.path / "people.json").write_text(json.dumps(self.settings, indent=1))

    def serve(self, *entries):
        self.slapd.load(*entries)
        self.slapd.start()

    def serve_lab(self, *names):
        self.serve(*(person(name) for name in names), group("lab", *map(person_dn, names)))

    def members(self, *names):
        self.slapd.set_members("lab", *map(person_dn, names))

    def take(self, *words, status=DONE, **options):
        return self.organization.json(
            "people", "--key", self.key, "--yes", *words, status=status, **options)

    def look(self, status=ATTENTION):
        return self.organization.json("people", "--dry-run", status=status)

    def refusal(self, *words, status=REFUSED):
        error = self.take(*words, status=status)["error"]
        return error["message"] + " " + (error["next"] or "")

    def signed(self, group="lab"):
        """None if nothing was signed."""
        path = self.organization.path / "signed" / f"people-{group}.json"
        if not path.exists():
            return None
        content = json.loads(base64.b64decode(json.loads(path.read_text())["content"]))
        self.assertEqual(content["groups"], [])
        self.assertEqual(list(content["members"]), [group])
        return content["members"][group]


@with_slapd
class People(PeopleCase):
    def test_a_group_is_signed_and_what_changes_in_it(self):
        self.serve_lab("ann", "bob", "eve")
        seen = self.look()
        self.assertIsNone(self.signed())
        (change,) = seen["changes"]
        self.assertEqual(
            (change["slot"], change["action"]), ("membership/all/people-lab", "new"))
        taken = self.take()
        self.assertTrue(taken["signed"])
        self.assertEqual(
            self.signed(), ["ann@contoso.com", "bob@contoso.com", "eve@contoso.com"])
        self.organization.json(
            "verify", self.organization.path / "signed" / "people-lab.json", "--root",
            self.organization.root)
        self.assertEqual(self.look(DONE)["unchanged"], 1)
        self.members("ann", "eve")
        preview = self.look()["changes"][0]["preview"]
        self.assertEqual((preview["joining"], preview["leaving"]), ([], ["bob@contoso.com"]))
        self.take()
        self.assertEqual(self.signed(), ["ann@contoso.com", "eve@contoso.com"])
        self.assertEqual(len(list((self.organization.path / "former").rglob("people-lab*"))), 1)

    def test_it_shows_whom_it_closes_and_asks(self):
        self.serve_lab("ann", "bob")
        self.take()
        policies = self.workspace.root / "policies"
        policies.mkdir()
        (policies / "staff.json").write_text(json.dumps({
            "@odata.type": "#microsoft.graph.iosManagedAppProtection", "displayName": "Staff",
            "pinRequired": True, "assignments": [{"target": group_target("lab")}]}))
        self.organization.json("push", policies, "--key", self.key, "--yes", "--local")
        machine = Machine(KeyedDirectory(self.organization), "pc-1")
        machine.register()
        machine.say(accounts=[machine.account(name="BOB@contoso.com")])
        self.members("ann")
        (change,) = self.look()["changes"]
        (closed,) = change["preview"]["closes"]
        self.assertEqual(
            (closed["name"], closed["reason"]),
            ("BOB@contoso.com", "no policy covers it any more"))
        shown = self.organization.fleet("people", "--dry-run", status=ATTENTION).stdout
        self.assertRegex(shown, r"leave +1: bob@contoso.com")
        self.assertRegex(shown, r"changes +1 account: BOB@contoso.com \(pc-1\)")
        # Nobody agrees.
        self.organization.fleet("people", "--key", self.key, status=REFUSED)
        self.assertIn("bob@contoso.com", self.signed())

    def test_groups_in_groups_in_a_circle(self):
        self.serve(
            *map(person, ("ann", "bob", "eve")), group("lab", person_dn("ann"), group_dn("in")),
            group("in", person_dn("bob"), group_dn("lab"), f"uid=gone,ou=people,{BASE}"))
        taken = self.take()
        self.assertEqual(self.signed(), ["ann@contoso.com", "bob@contoso.com"])
        self.assertEqual(taken["groups"][0]["leftOut"], 1)

    def test_every_way_to_the_server(self):
        self.serve_lab("ann")
        for changes in (
                {"uri": self.slapd.tls_uri}, {"uri": self.slapd.socket_uri},
                {"bindDN": None, "passwordFile": None}):
            with self.subTest(**changes):
                self.configure(**changes)
                self.assertEqual(self.look()["groups"][0]["members"], 1)

    def test_a_certificate_that_nobody_vouches_for(self):
        self.serve_lab("ann")
        for uri in (self.slapd.uri, self.slapd.tls_uri):
            for changes in (
                    {"certificates": None}, {"uri": uri.replace("127.0.0.1", "localhost")}):
                with self.subTest(uri, changes=changes):
                    self.configure(**{
                        "uri": uri, "certificates": str(self.slapd.authority.path), **changes})
                    self.assertIn("vouches", self.refusal(status=UNREACHABLE))

    def test_no_password_goes_over_a_clear_connection(self):
        """A server without TLS gets to know nothing."""
        self.slapd.stop_tls()
        self.serve_lab("ann")
        self.refusal(status=UNREACHABLE)
        self.assertEqual(self.slapd.count_binds(), 0)

    def test_passwords(self):
        self.serve_lab("ann")
        self.write_password("wrong")
        self.assertIn("Invalid credentials", self.refusal())
        self.write_password("\n")
        self.assertIn("no password", self.refusal())
        self.write_password(PASSWORD, 0o640)
        self.assertIn("others may read", self.refusal())
        (self.organization.path / "people.password").unlink()
        self.refusal(status=NOT_FOUND)
        self.assertIsNone(self.signed())

    def test_no_server(self):
        self.assertIn("Can't contact", self.refusal(status=UNREACHABLE))
        environment = {**self.workspace.environment, "PATH": str(self.without_ldapsearch())}
        message = self.organization.json(
            "people", "--dry-run", status=NOT_FOUND, environment=environment)["error"]
        self.assertIn("apt install ldap-utils", message["next"])

    def without_ldapsearch(self):
        place = self.workspace.root / "bin"
        place.mkdir()
        (place / "mamctl").symlink_to(
            shutil.which("mamctl", path=self.workspace.environment["PATH"]))
        return place

    def test_a_server_that_lists_members_without_end(self):
        place = self.without_ldapsearch()
        script = place / "ldapsearch"
        script.write_text(f"""#!/usr/bin/python3
import sys
part = sys.argv[-1]
if part == "mail":
    print("dn: {person_dn("ann")}\\nmail: ann@contoso.com\\n")
else:
    # Counts as an answer does, and is read at once.
    print("#", "x" * (130 << 20))
    first = part.partition("=")[2].partition("-")[0] or 0
    print(f"dn: {group_dn("lab")}\\nmember;range={{first}}-{{first}}: {person_dn("ann")}\\n")
""")
        script.chmod(0o755)
        environment = {**self.workspace.environment, "PATH": f"{place}:/usr/bin:/bin"}
        message = self.organization.error(
            "people", "--dry-run", status=UNREACHABLE, environment=environment)
        self.assertIn("it has said too much", message)

    def test_a_server_that_says_nothing(self):
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        path = self.workspace.root / "silent"
        server.bind(str(path))
        # It has the connection, and whatever is asked on it.
        server.listen(8)
        self.configure(
            uri="ldapi://" + urllib.parse.quote(str(path), safe=""), bindDN=None,
            passwordFile=None, certificates=None)
        self.assertIn("it has said nothing for 20 s", self.refusal(status=UNREACHABLE))

    def test_a_part_on_another_server(self):
        self.serve(
            person("ann"), group("lab", person_dn("ann")),
            ldif(f"ou=more,ou=people,{BASE}", {
                "objectClass": ["referral", "extensibleObject"], "ou": "more",
                "ref": f"ldap://127.0.0.1:1/ou=more,{BASE}"}))
        self.assertIn("another server", self.refusal())
        self.configure(base=f"ou=more,ou=people,{BASE}")
        self.assertIn("Referral", self.refusal())

    def test_names_that_people_may_have_written(self):
        self.serve(
            person("ann"), person("nul", b"a\0@contoso.com"), person("line", b"a\nb@contoso.com"),
            person("two", ["eve@contoso.com", "two@contoso.com"]), person("none", "nobody"),
            person("long", "a" * 600 + "@contoso.com"), person("esc", b"\x1b[2J@contoso.com"),
            group("lab", *map(person_dn, ("ann", "nul", "line", "two", "none", "long", "esc"))))
        result = self.organization.fleet("people", "--key", self.key, "--yes")
        self.assertEqual(self.signed(), ["ann@contoso.com"])
        for name in ("nul", "line", "two", "none", "long", "esc"):
            self.assertIn(f"lab lacks {person_dn(name)}", result.stderr)
        self.assertNotIn("\x1b", result.stderr)

    def test_one_name_of_two_people(self):
        self.serve(
            person("ann"), person("mallory", "ANN@Contoso.com"), group("lab", person_dn("mallory")))
        message = self.refusal()
        self.assertIn(person_dn("ann"), message)
        self.assertIn(person_dn("mallory"), message)
        self.assertIsNone(self.signed())

    def test_many_leave_by_name_and_count_alone(self):
        names = [f"p{number}" for number in range(20)]
        self.serve_lab(*names)
        self.take()
        before = self.signed()
        self.members(*names[3:])
        self.assertIn("3 of 20 people would leave the group lab", self.refusal())
        self.organization.fleet("people", "--dry-run", status=REFUSED)
        self.assertIn("--leaving lab=3", self.refusal("--leaving", "lab=2"))
        self.assertEqual(self.signed(), before)
        self.refusal("--leaving", "labs=3", status=USAGE)
        self.refusal("--leaving", "lab", status=USAGE)
        self.take("--leaving", "lab=3")
        self.assertEqual(len(self.signed()), 17)
        self.configure(mostLeaving=0)
        self.members(*names[4:])
        self.refusal()
        self.configure(mostLeaving=2)
        self.take()
        self.assertEqual(len(self.signed()), 16)

    def test_nobody_is_left(self):
        self.serve_lab("ann", "bob")
        self.take()
        self.configure(filter="(uid=nobody)")
        self.assertIn("nobody who matches", self.refusal("--leaving", "lab=2"))
        self.configure(filter="(objectClass=inetOrgPerson)")
        self.members("gone")
        self.assertIn("would have no members; 2 would leave", self.refusal())
        self.configure(groups={"lab": group_dn("lost")})
        self.assertIn("is gone", self.refusal("--leaving", "lab=2", status=NOT_FOUND))
        self.configure(base=f"ou=lost,{BASE}")
        self.refusal(status=NOT_FOUND)
        self.assertEqual(len(self.signed()), 2)

    def test_a_group_that_the_settings_name_no_more(self):
        self.slapd.load(group("other", person_dn("ann")))
        self.serve_lab("ann", "bob")
        self.take()
        self.configure(groups={"other": group_dn("other")})
        self.assertIn("--leaving lab=2", self.refusal())
        self.take("--leaving", "lab=2")
        # Else it would be unknown, and an unknown group has everybody.
        self.assertEqual(self.signed(), [])
        self.assertEqual(self.signed("other"), ["ann@contoso.com"])
        self.assertEqual(self.look(DONE)["changes"], [])

    def test_what_was_signed_by_hand_stays(self):
        self.serve_lab("ann")
        self.take()
        path = self.organization.path / "signed" / "people-hand.json"
        (self.workspace.root / "hand.json").write_text(
            json.dumps({"members": {"lab": ["eve@contoso.com"], "more": []}}))
        self.organization.json(
            "sign", self.workspace.root / "hand.json", "--root", self.organization.root, "--key",
            self.key, "--kind", "membership", "--audience", "all", "--name", "people-hand", "-o",
            path)
        before = path.read_bytes()
        self.assertFalse(self.take()["signed"])
        self.assertEqual(path.read_bytes(), before)
        self.look(DONE)

    def test_the_place_of_a_mistake_in_the_settings(self):
        path = self.organization.path / "people.json"
        for changes, line, reason in (
                ({"uri": "ldaps://a/b"}, 2, "uri must be"), ({"nam": "mail"}, 14, "nam must be"),
                ({"bindDN": None}, 0, "bindDN must be")):
            with self.subTest(reason):
                path.write_text(json.dumps({
                    key: value for key, value in {**self.settings, **changes}.items()
                    if value is not None}, indent=1))
                place = f"{path}:{line}: " if line else f"{path}: "
                self.assertIn(f"{place}{reason}", self.refusal(status=USAGE))
        path.write_text('{"uri": "ldaps://a", "uri": "ldaps://b"}')
        self.assertIn("uri is twice", self.refusal(status=USAGE))
        path.unlink()
        self.refusal(status=NOT_FOUND)

    def test_the_example(self):
        self.settings = json.loads((ROOT / "examples" / "organization" / "people.json").read_text())
        # Which has no server.
        self.configure(uri=self.slapd.uri, certificates=str(self.slapd.authority.path))
        self.refusal(status=UNREACHABLE)

    def test_the_users_own_configuration_of_ldap_does_not_count(self):
        self.serve_lab("ann")
        home = self.workspace.root / "home-of-ldap"
        home.mkdir()
        (home / ".ldaprc").write_text("TLS_REQCERT never\n")
        self.configure(certificates=None)
        environment = {
            **self.workspace.environment, "HOME": str(home), "LDAPTLS_REQCERT": "never"}
        self.organization.json(
            "people", "--dry-run", status=UNREACHABLE, environment=environment)


@with_slapd
class Limited(PeopleCase):
    """The server gives no more than five."""

    limits = "sizelimit size.soft=5 size.hard=5 size.prtotal=5"

    def test_a_cut_answer_is_none(self):
        self.serve_lab(*(f"p{number}" for number in range(6)))
        self.assertIn("these are not all", self.refusal())
        self.assertIsNone(self.signed())


@with_slapd
class Paged(PeopleCase):
    """The server gives no more than 500 at once, and all in pages."""

    limits = "sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited"

    def test_ten_thousand_people_in_pages(self):
        names = [f"person-{number:05}" for number in range(10_000)]
        self.serve_lab(*names)
        start = time.monotonic()
        self.take(timeout=600)
        print(f"10,000 people: {time.monotonic() - start:.1f} s", flush=True)
        self.assertEqual(self.signed(), [f"{name}@contoso.com" for name in names])


if __name__ == "__main__":
    unittest.main()
