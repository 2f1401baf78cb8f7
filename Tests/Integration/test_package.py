"""The Debian packages: what is in them, and that they install, work, go and come back on a Debian
without Swift."""
import filecmp
import json
import os
import shutil
import subprocess
import unittest

from built_packages import build
from fresh_debian import ORDINARY, FreshDebian
from glibc import LANGUAGE_IN_C
from workspace import ANN, MAGIC, PASSPHRASE, ROOT, SETTINGS, wait_until

NEEDS = ("appstream", "lintian", "man-db")

ENOKEY = "Required key not available"


class Package(unittest.TestCase):
    """What can be told without installing it."""

    @classmethod
    def setUpClass(cls):
        cls.packages = build("package", "first")

    def test_the_same_tree_gives_the_same_bytes(self):
        for one, other in zip(build("package", "second"), self.packages, strict=True):
            self.assertTrue(filecmp.cmp(one, other, shallow=False), other.name)

    def test_nothing_tells_where_it_was_built(self):
        """Another checkout would give other bytes."""
        for package in self.packages:
            files = subprocess.run(
                ["dpkg-deb", "--fsys-tarfile", package], check=True, capture_output=True).stdout
            self.assertEqual(files.count(os.fsencode(ROOT) + b"/"), 0, package.name)

    def test_lintian_finds_nothing(self):
        said = subprocess.run(
            ["lintian", "--allow-root", "--fail-on", "error,warning", *self.packages],
            capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout + said.stderr), (0, ""))

    def test_what_others_read_is_valid(self):
        root = self.packages[0].parent / "unpacked"
        for package in self.packages:
            subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
        for page in sorted(root.glob("usr/share/man/man?/*.gz")):
            said = subprocess.run(
                ["man", "--warnings", "--local-file", page], capture_output=True, text=True,
                env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})
            self.assertEqual((said.returncode, said.stderr), (0, ""), page.name)
            self.assertIn("NAME", said.stdout)
        if shutil.which("appstreamcli"):
            subprocess.run(
                ["appstreamcli", "validate", "--no-net", *root.glob("usr/share/metainfo/*")],
                check=True, capture_output=True)


@unittest.skipUnless(os.getuid() == 0, "makes a root of its own")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            cls.debian = FreshDebian()
        except (OSError, RuntimeError) as problem:
            raise unittest.SkipTest(str(problem)) from None
        cls.addClassCleanup(cls.debian.close)
        cls.inside = staticmethod(cls.debian.run)
        cls.shared = cls.debian.shared
        for package in build("package", "first"):
            shutil.copy(package, cls.shared)
        cls.all = cls.package, cls.fleet, cls.signin = [
            f"/shared/{package.name}" for package in build("package", "first")]
        cls.inside("apt-get", "-qq", "install", "--no-install-recommends", *cls.all)
        (cls.shared / "passphrase").write_text(PASSPHRASE + "\n")
        (cls.shared / "settings").write_text(json.dumps(SETTINGS))

    def test_the_programs_need_no_swift(self):
        self.assertEqual(self.inside("sh", "-c", "command -v swift", status=None).stdout, "")
        for program in ("mamctl", "mamd", "mamfleet"):
            path = self.inside("which", program).stdout.strip()
            self.assertEqual(path, f"/usr/bin/{program}")
            libraries = self.inside("ldd", path).stdout
            self.assertNotIn("not found", libraries)
            self.assertNotIn("swift", libraries.lower())
            # Its symbols alone would take each start a millisecond.
            self.assertNotIn("libstdc++", libraries)
            # It brings six more, and mamctl tells systemd nothing.
            if program == "mamctl":
                self.assertNotIn("libsystemd", libraries)
        self.assertIn(self.version(), self.inside("mamctl", "version").stdout)
        for program in ("mamd", "mamfleet"):
            self.assertIn(self.version(), self.inside(program, "--version").stdout)

    def test_the_fleet_service_has_a_user(self):
        self.assertIn("/nonexistent", self.inside("getent", "passwd", "mamfleet").stdout)

    def test_what_links_with_a_network(self):
        for program, expected in (
                ("bin/mamd", []), ("bin/mamctl", []), ("bin/mamfleet", ["libnats", "libcurl"]),
                ("lib/mamd/mamd-signin", ["libcurl"])):
            linked = self.inside("ldd", f"/usr/{program}").stdout
            self.assertEqual(
                [name for name in ("libnats", "libcurl") if name in linked], expected, program)
        self.assertNotIn("curl", self.told_of("mamd", "Depends"))

    def test_the_base_package_is_small(self):
        self.assertLess(int(self.told_of("mamd", "Installed-Size")) * 1024, 40_000_000)

    def told_of(self, package, field):
        return self.inside("dpkg-query", "-W", "-f", f"${{{field}}}", package).stdout

    @unittest.skipUnless(LANGUAGE_IN_C, "in C.UTF-8 this glibc translates nothing")
    def test_mamctl_speaks_german(self):
        told = self.inside("env", "LANG=C.UTF-8", "LANGUAGE=de", "mamctl", "lock", "--help").stdout
        self.assertIn("Optionen:", told)

    def version(self):
        return self.told_of("mamd", "Version")

    def test_manual_pages_are_found(self):
        for page in sorted((ROOT / "docs" / "man").glob("*.md")):
            self.assertIn("/usr/share/man/man", self.inside("man", "--where", page.stem).stdout)

    def test_shells_complete(self):
        loaded = self.inside(
            "bash", "-c",
            ". /usr/share/bash-completion/bash_completion; _completion_loader mamctl; complete -p "
            "mamctl")
        self.assertIn("mamctl", loaded.stdout)
        # What bash-completion takes where it finds nothing.
        self.assertNotIn("_minimal", loaded.stdout)
        known = self.inside(
            "zsh", "-c", "autoload -Uz compinit; compinit -D -u; echo $_comps[mamctl]")
        self.assertEqual(known.stdout.strip(), "_mamctl")
        self.assertIn("unmount", self.inside("fish", "-c", "complete -C 'mamctl un'").stdout)

    def test_protected_files_have_a_media_type(self):
        # The two forms of FORMAT.md, without a name that tells anything.
        for name, magic in (("file", MAGIC), ("stream", MAGIC.replace(b"F", b"S"))):
            (self.shared / name).write_bytes(magic + bytes(4096))
            said = self.inside(
                "gio", "info", "-a", "standard::content-type", f"/shared/{name}").stdout
            self.assertIn("application/vnd.mamd.protected", said)

    def test_systemd_takes_the_units(self):
        for manager in ("system", "user"):
            directory = f"/usr/lib/systemd/{manager}"
            for unit in self.inside("sh", "-c", f"cd {directory} && ls -d mamd*").stdout.split():
                # A template is looked at as one of its instances.
                said = self.inside(
                    "env", "XDG_RUNTIME_DIR=/tmp", "systemd-analyze", f"--{manager}", "verify",
                    unit.replace("@.", "@work."),
                    status=None)
                self.assertEqual((said.returncode, said.stdout + said.stderr), (0, ""), unit)

    def test_the_journal_explains_messages(self):
        text = (ROOT / "systemd" / "mamd.catalog").read_text()
        wanted = {
            line.split()[1] for line in text.splitlines() if line.startswith("-- ")
            and len(line.split()) == 2}
        self.assertTrue(wanted)
        known = {
            line.split()[0]
            for line in self.inside("journalctl", "--list-catalog").stdout.splitlines()}
        self.assertLessEqual(wanted, known)

    def test_directories_are_made(self):
        modes = self.inside(
            "stat", "-c", "%n %a %U", "/etc/mamd", "/run/mamd", "/var/lib/mamd").stdout
        self.assertEqual(modes, "/etc/mamd 755 root\n/run/mamd 755 root\n/var/lib/mamd 700 root\n")

    def test_mount_finds_its_helper(self):
        place = "/shared/by-mount"
        self.inside("mkdir", "-p", f"{place}/mount")
        self.inside("mamctl", "init", f"{place}/backing", "--name", "by-mount")
        self.inside("mount", "-t", "fuse.mamd", f"{place}/backing", f"{place}/mount")
        self.inside("sh", "-c", f"echo plain > {place}/mount/letter")
        self.inside("umount", f"{place}/mount")

    def test_pam_has_the_module_where_an_administrator_wants_it(self):
        self.assertEqual(self.stacks_with_the_module(), "")
        self.inside("pam-auth-update", "--enable", "mamd")
        self.addCleanup(self.inside, "pam-auth-update", "--disable", "mamd")
        self.assertEqual(
            self.stacks_with_the_module().split(),
            [f"/etc/pam.d/common-{stack}" for stack in (
                # sudo's session is not interactive; that is where it forgets the passphrase.
                "auth", "password", "session", "session-noninteractive")])
        # After what checks or changes the passphrase.
        for stack in ("auth", "password"):
            modules = [
                line.split("pam_")[1].split(".so")[0] for line in self.inside(
                    "grep", "-v", "^#", f"/etc/pam.d/common-{stack}").stdout.splitlines()
                if "pam_" in line]
            self.assertEqual(modules, ["unix", "deny", "permit", "mamd"])
        module = self.inside("sh", "-c", "ls /usr/lib/*/security/pam_mamd.so").stdout.strip()
        linked = self.inside("ldd", module).stdout
        self.assertNotIn("not found", linked)
        # A library of theirs would be in each program that asks for a passphrase.
        self.assertEqual(
            sorted(line.split(".so")[0].split()[0] for line in linked.splitlines()
                   if "=>" in line), ["libaudit", "libc", "libcap-ng", "libpam"])

    def stacks_with_the_module(self):
        return self.inside(
            "sh", "-c", "grep -l pam_mamd /etc/pam.d/* || true").stdout

    def test_the_probes_answer(self):
        place = "/usr/libexec/mamd/probes"
        self.assertIn(f"`{place}`", (ROOT / "docs" / "ENROLLMENT.md").read_text())
        version = self.inside(f"{place}/os-version").stdout.strip()
        self.assertTrue(self.inside("cat", "/etc/debian_version").stdout.startswith(version))
        self.inside("test", "-x", f"{place}/disk-encrypted")

    def test_an_ordinary_user_works(self):
        self.inside("useradd", "--uid", str(ORDINARY), "--home-dir", "/shared/home", "ann")
        for name in ("home", "runtime"):
            (self.shared / name).mkdir(mode=0o700)
            os.chown(self.shared / name, ORDINARY, ORDINARY)
        self.use("/shared/home/user", user=ORDINARY)

    def test_a_workspace_outlives_upgrade_removal_and_purge(self):
        place = "/shared/system"
        self.use(place)
        self.mount(place)
        self.unlock(place)

        self.assertIn("mamfleet", self.left("/usr /lib", "mamfleet"))
        self.inside("dpkg", "--purge", "mamd-fleet", "mamd-signin")
        self.inside("pam-auth-update", "--enable", "mamd")
        self.assertEqual(self.left("/usr /lib /var/lib", "mamfleet"), "")

        # Over a mounted workspace: it goes on, and the administrator is told.
        self.assertIn(
            "mamctl unmount and mount", self.inside("dpkg", "--install", self.package).stdout)
        self.assertEqual(self.inside("cat", f"{place}/mount/letter").stdout, "for Ann\n")
        said = self.inside("dpkg", "--remove", "mamd").stdout
        self.assertIn("served until", said)
        self.assertEqual(self.inside("cat", f"{place}/mount/letter").stdout, "for Ann\n")
        self.inside("umount", f"{place}/mount")
        # umount(8) waits for no daemon; this is the last that one writes.
        self.inside(
            "sh", "-c", "until [ -e /var/lib/mamd/system/clean-end ]; do sleep 0.1; done")
        self.assertEqual(self.left("/usr /lib"), "")

        keys = self.left("/var/lib/mamd /etc/mamd")
        self.assertIn("/var/lib/mamd/system/", keys)
        self.assertIn("stay", self.inside("dpkg", "--purge", "mamd").stdout)
        self.assertEqual(self.left("/var/lib/mamd /etc/mamd"), keys)
        self.assertEqual(self.left("/usr /lib /etc/needrestart"), "")
        self.assertEqual(self.stacks_with_the_module(), "")

        self.inside("dpkg", "--install", *self.all)
        self.mount(place)
        self.inside("cat", f"{place}/mount/letter", status=1)
        self.unlock(place)
        self.assertEqual(self.inside("cat", f"{place}/mount/letter").stdout, "for Ann\n")
        self.inside("mamctl", "unmount", f"{place}/mount")

    def test_an_upgrade_while_a_program_writes(self):
        """By apt, as unattended-upgrades does it."""
        place = "/shared/busy"
        self.use(place)
        self.mount(place)
        self.unlock(place)
        self.addCleanup(
            self.inside, "dpkg", "--install", "--force-downgrade", *self.all)
        (self.shared / "archive-newer").mkdir()
        version = self.version() + "+2"
        newer = self.as_version(version, self.package)
        self.inside("mv", newer, "/shared/archive-newer")
        self.offer("archive-newer")
        # What is open stays open; each line is one write.
        (self.shared / "writer").write_text(
            "exec 3>>/shared/busy/mount/log || exit; number=0\n"
            "until [ -e /shared/stop ]; do number=$((number + 1)); echo $number >&3 || exit; done\n"
            "echo $number >/shared/wrote\n")
        self.inside("sh", "-c", "setsid sh /shared/writer >/dev/null 2>/shared/refused &")
        self.addCleanup((self.shared / "stop").touch)
        self.await_lines(place, 100)
        before = self.running("busy")
        self.assertEqual(before["replaced"], False)
        said = self.inside("apt-get", "-qq", "--yes", "install", "mamd").stdout
        self.assertIn("mounted workspaces keep the former version", said)
        self.assertEqual(self.versions()[0], f"installed {version}")
        self.await_lines(place, self.lines(place) + 100)
        after = self.running("busy")
        self.assertEqual((after["pid"], after["replaced"]), (before["pid"], True))
        self.assertIn(
            "upgraded  since the daemon started", self.inside("mamctl", "status").stdout)
        (self.shared / "stop").touch()
        self.inside("sh", "-c", "until [ -e /shared/wrote ]; do sleep 0.1; done")
        count = int((self.shared / "wrote").read_text())
        self.inside("mamctl", "unmount", f"{place}/mount")
        self.mount(place)
        self.unlock(place)
        self.assertEqual(self.running("busy")["replaced"], False)
        self.assertEqual(
            self.inside("cat", f"{place}/mount/log").stdout.split(),
            [str(number + 1) for number in range(count)])
        self.inside("mamctl", "unmount", f"{place}/mount")

    def lines(self, place):
        """0 also before the writer has made the file."""
        return int(self.inside("sh", "-c", f"cat {place}/mount/log 2>&- | wc -l").stdout)

    def await_lines(self, place, count):
        wait_until(
            lambda: self.lines(place) > count,
            message=lambda: f"nothing is written: {(self.shared / 'refused').read_text()}")

    def running(self, name):
        """What its daemon says of itself."""
        (status,) = [
            each for each in json.loads(self.inside("mamctl", "status", "--json").stdout)
            if each["name"] == name]
        return status

    def test_an_upgrade_of_one_package_keeps_the_other(self):
        self.addCleanup(
            self.inside, "dpkg", "--install", "--force-downgrade", *self.all)
        version = self.version() + "+1"
        mamd, fleet = (self.as_version(version, path) for path in (self.package, self.fleet))
        former, newer = f"installed {self.version()}", f"installed {version}"
        install = ["apt-get", "-qq", "install", "--no-install-recommends", "--yes"]
        # mamd's is the one that may be ahead.
        self.inside(*install, fleet, status=100)
        self.assertEqual(self.versions(), [former, former])
        self.inside(*install, mamd)
        self.assertEqual(self.versions(), [newer, former])
        self.inside(*install, fleet)
        self.assertEqual(self.versions(), [newer, newer])

    def as_version(self, version, path):
        """The package, but for its version."""
        self.inside(
            "sh", "-ec", 'rm -rf /tmp/repacked; dpkg-deb --raw-extract "$2" /tmp/repacked;'
            ' sed -i "s/^Version:.*/Version: $1/; s/mamd (\\(>*=\\) [^)]*)/mamd (\\1 $1)/"'
            ' /tmp/repacked/DEBIAN/control;'
            ' dpkg-deb -Znone --build /tmp/repacked "$2.newer.deb"', "sh", version, path)
        return f"{path}.newer.deb"

    def test_an_upgrade_keeps_what_signs_in(self):
        """From when it was a part of mamd."""
        self.addCleanup(self.inside, "dpkg", "--install", *self.all)
        self.addCleanup(self.inside, "rm", "-r", "/etc/mamd/issuer")
        self.inside(
            "sh", "-ec", "mkdir -p /tmp/former /etc/mamd/issuer /shared/archive; cd /tmp/former;"
            ' dpkg-deb --raw-extract "$1" .; dpkg-deb --extract "$2" .;'
            " sed -i '/^Recommends/d; s/^Version:.*/Version: 0.0.9/' DEBIAN/control;"
            ' dpkg-deb -Znone --build . /shared/former.deb; cp "$1" "$2" /shared/archive;'
            ' echo \'{"ADALAuthority": "https://issuer.example"}\' >/etc/mamd/issuer/settings.json',
            "sh", self.package, self.signin)
        program = "/usr/lib/mamd/mamd-signin"

        def begin():
            self.inside("dpkg", "--purge", "mamd-fleet", "mamd-signin", "mamd")
            self.inside("dpkg", "--install", "/shared/former.deb")
            self.inside("test", "-x", program)

        begin()
        self.offer("archive")
        said = self.inside("apt-get", "-qq", "--yes", "install", "mamd").stdout
        self.inside("test", "-x", program)
        self.assertNotIn("mamd: a workspace", said)
        begin()
        self.inside("dpkg", "--unpack", self.signin, self.package)
        self.inside("dpkg", "--configure", "--pending")
        self.inside("test", "-x", program)
        # Whoever takes mamd alone is told.
        begin()
        said = self.inside("dpkg", "--install", self.package).stdout
        self.assertIn("apt install mamd-signin", said)
        self.inside("test", "-e", program, status=1)
        self.refuse_to_sign_in()

    def offer(self, name):
        """To apt, the packages of this directory of /shared."""
        directory = self.shared / name
        (directory / "Packages").write_text(subprocess.run(
            ["dpkg-scanpackages", "--multiversion", "."], cwd=directory, capture_output=True,
            text=True, check=True).stdout)
        source = "/etc/apt/sources.list.d/offered.list"
        self.inside("sh", "-c", f"echo 'deb [trusted=yes] file:/shared/{name} ./' >{source}")
        self.addCleanup(self.inside, "rm", source)
        self.inside("apt-get", "-qq", "update", "-o", f"Dir::Etc::SourceList={source}")

    def refuse_to_sign_in(self):
        place = "/shared/issued"
        self.inside("mkdir", "-p", f"{place}/mount")
        (self.shared / "issuer.json").write_text(
            '{"ADALAuthority": "https://issuer.example", "ADALClientId": "mamd"}')
        self.inside(
            "mamctl", "init", f"{place}/backing", "--name", "issued", "--settings",
            "/shared/issuer.json")
        self.mount(place)
        said = self.inside(
            "mamctl", "account", "register", ANN, "--workspace", "issued", "--passfile",
            "/shared/passphrase", status=1).stderr
        self.assertIn("mamd-signin, the program that signs in, is not installed", said)
        self.assertIn("try: apt install mamd-signin", said)
        self.inside("mamctl", "unmount", f"{place}/mount")

    def versions(self):
        """What is installed; a removed package has its version still."""
        return self.inside(
            "dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}\n", "mamd", "mamd-fleet"
            ).stdout.splitlines()

    def test_a_purge_opens_what_mamd_shut_and_nothing_else(self):
        self.addCleanup(self.inside, "dpkg", "--install", *self.all)
        names = ("mamds", "mounted", "reopened", "admins")
        places = {name: f"/shared/shut-{name}" for name in names}
        foreign = "/shared/shut-foreign"
        self.inside("mkdir", "-m", "0", foreign)
        self.inside("chattr", "+i", foreign)
        self.addCleanup(
            self.inside, "chattr", "-i", foreign, *(f"{place}/mount" for place in places.values()))
        for name, place in places.items():
            mount = f"{place}/mount"
            self.inside("mkdir", "-p", mount)
            self.inside("chmod", "750", mount)
            if name == "admins":
                self.inside("chattr", "+i", mount)
            self.inside("mamctl", "init", f"{place}/backing", "--name", f"shut-{name}")
            self.inside("mamctl", "mount", f"{place}/backing", mount, "-o", "shut")
            if name != "mounted":
                self.inside("mamctl", "unmount", mount)
                self.assertEqual(self.mode(mount), ("0", True), name)
        reopened = f"{places['reopened']}/mount"
        for command in (["chattr", "-i"], ["chmod", "700"], ["chattr", "+i"]):
            self.inside(*command, reopened)

        said = self.inside("dpkg", "--purge", "mamd-fleet", "mamd-signin", "mamd").stdout
        self.assertIn(f"{places['mounted']}/mount stays immutable", said)
        self.inside("umount", f"{places['mounted']}/mount")
        self.assertEqual(
            {name: self.mode(f"{place}/mount") for name, place in places.items()},
            {"mamds": ("750", False), "mounted": ("0", True), "reopened": ("700", True),
             "admins": ("0", True)})
        self.assertEqual(self.mode(foreign), ("0", True))

    def mode(self, directory):
        """Its mode, and whether it is immutable."""
        return (
            self.inside("stat", "-c", "%a", directory).stdout.strip(),
            "i" in self.inside("lsattr", "-d", directory).stdout.split()[0])

    def left(self, directories, name="mamd"):
        """Files of the package's, or of what it made."""
        return self.inside(
            "sh", "-c",
            f"find {directories} -path '*{name}*' -type f ! -name mamd.log"
            " ! -path '/var/lib/dpkg/*' | sort").stdout

    def mount(self, place, user=0):
        self.inside("mamctl", "mount", f"{place}/backing", f"{place}/mount", user=user)

    def unlock(self, place, user=0):
        self.inside(
            "mamctl", "unlock", "--workspace", os.path.basename(place), "--passfile",
            "/shared/passphrase", user=user)

    def use(self, place, user=0):
        """The life of a workspace, up to its unmounting."""
        letter, name = f"{place}/mount/letter", os.path.basename(place)
        self.inside("mkdir", "-p", f"{place}/mount", user=user)
        self.inside(
            "mamctl", "init", f"{place}/backing", "--name", name, "--settings", "/shared/settings",
            user=user)
        self.mount(place, user)
        self.inside(
            "mamctl", "account", "register", ANN, "--workspace", name, "--passfile",
            "/shared/passphrase", user=user)
        self.inside("sh", "-c", f"echo for Ann > {letter}", user=user)
        self.assertEqual(
            self.inside("mamctl", "owner", letter, user=user).stdout, f"{ANN}\t{letter}\n")
        self.inside("mamctl", "lock", "--workspace", name, "--now", user=user)
        self.assertIn(ENOKEY, self.inside("cat", letter, user=user, status=1).stderr)
        self.unlock(place, user)
        self.assertEqual(self.inside("cat", letter, user=user).stdout, "for Ann\n")
        self.inside("mamctl", "unmount", f"{place}/mount", user=user)
        self.assertEqual(self.inside("ls", f"{place}/mount", user=user).stdout, "")
