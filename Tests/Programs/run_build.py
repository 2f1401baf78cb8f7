"""Real C projects from Debian's sources: unpacked, configured, built and tested at the place."""
import hashlib
import os

from check import Check, Failure, NotHere

# By name and version: what is built is the same wherever this runs.
HELLO, TAR = "hello=2.10-3", "tar=1.34+dfsg-1.2+deb12u1"
# Left out: a test that compares what an older libcap printed.
TAR_FLAGS = ["TESTSUITEFLAGS=-k !capabs_raw01"]
# What automake and autotest print at the end.
SUCCESS = ("# PASS:", "tests were successful")
LIST = """
deb-src http://deb.debian.org/debian bookworm main
deb-src http://deb.debian.org/debian-security bookworm-security main
"""


def fetch(work, package):
    """The source package's files, got once: apt-get checks them against the signed lists."""
    place = work.sources / package.split("=")[0]
    if not place.is_dir():
        state = work.sources / "apt"
        (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (state / "sources.list").write_text(LIST)
        partial = place.with_suffix(".new")
        partial.mkdir()
        options = [
            "-o", f"Dir::Etc::SourceList={state}/sources.list", "-o",
            "Dir::Etc::SourceParts=/dev/null",
            "-o", f"Dir::State::Lists={state}/lists", "-o", "APT::Sandbox::User=root"]
        work.run("apt-get", "-qq", *options, "update", cwd=partial)
        work.run("apt-get", "-qq", *options, "source", "--download-only", package, cwd=partial)
        partial.rename(place)
    return place


def build(package, *flags, made=(), is_long=False):
    """`flags` are for its tests. `made`: what the package has ready made, and make would make anew,
    as it is older than a patch."""
    def run(work):
        if is_long and work.quick:
            raise NotHere("in the long form")
        sources = fetch(work, package)
        (description,) = sources.glob("*.dsc")
        tree, there = work.directory / "tree", work.outside / "tree"
        for target in (tree, there):
            work.run("dpkg-source", "--no-check", "-x", description, target, cwd=work.outside)
        for path in made:
            (tree / path).touch()
        environment = {"FORCE_UNSAFE_CONFIGURE": "1", "SOURCE_DATE_EPOCH": "0"}
        work.run("./configure", "--quiet", cwd=tree, environment=environment)
        work.run("make", f"-j{os.cpu_count()}", cwd=tree, environment=environment)
        passed, status = work.end(
            work.start("make", "check", *flags, cwd=tree, environment=environment), 3600)
        failed = [
            line.strip() for line in passed.splitlines() if line.startswith("FAIL:")
            or " FAILED (" in line]
        work.demand(status == 0, "; ".join(failed) or passed[-400:])
        work.place.remount()
        # What was unpacked is what lies there, file by file.
        for path in there.rglob("*"):
            if path.is_file() and not path.is_symlink() and digest(path) != digest(
                    tree / path.relative_to(there)):
                raise Failure(f"{path.relative_to(there)} is not what was unpacked")
        return next(
            (line.strip("#\n ") for line in passed.splitlines()
            if any(mark in line for mark in SUCCESS)), "")

    return run


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


CHECKS = [
    Check("hello: configure, make, make check", build(HELLO)),
    Check("GNU tar: configure, make, make check",
    build(TAR, *TAR_FLAGS, made=["tests/testsuite"], is_long=True))]
