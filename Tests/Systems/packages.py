"""The packages of a release: made there, and installed, upgraded and purged on a new root of it,
with what they depend on from the mirror."""
import re
import shutil

from fresh_debian import FreshDebian, tell
from system_root import SOURCE

NAMES = ("mamd", "mamd-fleet", "mamd-signin", "mamd-desktop")
EARLIER = "0.0.1"


def check_packages(system):
    """What there is to say of them. Raises on the first thing that is wrong."""
    files = [
        line for script in ("package", "package-desktop")
        for line in system.run(
            f"{SOURCE}/scripts/{script}", "--output", "/src/packages").splitlines()]
    system.run("lintian", "--allow-root", "--fail-on", "error,warning", *files)
    debian = FreshDebian(system.pristine, has_network=True)
    try:
        use(debian, [system.root / file.lstrip("/") for file in files])
    finally:
        debian.close()
    return f"{len(files)} packages made, installed, upgraded and purged"


def use(debian, files):
    (debian.shared / "earlier").mkdir()
    for file in files:
        shutil.copy(file, debian.shared)
        make_earlier(debian.shared, file)
    shutil.copy("/etc/resolv.conf", debian.shared)
    debian.run("cp", "/shared/resolv.conf", "/etc/resolv.conf")
    debian.run("apt-get", "-qq", "update")
    install(debian, *(f"/shared/earlier/{file.name}" for file in files))
    expect_versions(debian, dict.fromkeys(NAMES, EARLIER))
    install(debian, *(f"/shared/{file.name}" for file in files))
    version = re.search(r"_([^_]+)_", files[0].name)[1]
    expect_versions(debian, dict.fromkeys(NAMES, version))
    said = debian.run("mamctl", "version").stdout
    if version not in said:
        raise RuntimeError(f"mamctl version: {said}")
    debian.run("dpkg", "--purge", *reversed(NAMES))
    left = debian.run(
        "sh", "-c", "find /usr /etc -path '*mamd*' -type f; dpkg --audit").stdout
    if left:
        raise RuntimeError(f"left by the purge:\n{left}")


def install(debian, *files):
    debian.run(
        "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "install",
        "--no-install-recommends", *files, timeout=600)


def make_earlier(directory, file):
    """The same package with a lower version, in directory/earlier."""
    unpacked = directory / "earlier" / file.stem
    tell(["dpkg-deb", "--raw-extract", file, unpacked])
    control = unpacked / "DEBIAN" / "control"
    version = re.search(r"^Version: (.*)$", control.read_text(), re.MULTILINE)[1]
    control.write_text(control.read_text().replace(version, EARLIER))
    tell(["dpkg-deb", "--root-owner-group", "-Znone", "--build", unpacked,
          directory / "earlier" / file.name])
    shutil.rmtree(unpacked)


def expect_versions(debian, expected):
    found = dict(
        line.split() for line in debian.run(
            "dpkg-query", "-W", "-f", "${Package} ${Version}\n", *expected).stdout.splitlines())
    if found != expected:
        raise RuntimeError(f"installed: {found}, not {expected}")
