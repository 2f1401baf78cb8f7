"""Where and with what the figures were measured."""
import datetime
import os
import pathlib
import platform
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What decides how fast AES is.
FEATURES = ("aes", "avx2", "avx512f", "vaes", "vpclmulqdq")
PACKAGES = ("gocryptfs", "securefs", "encfs", "cryfs", "libfuse3-3", "sqlite3")


def machine():
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        # Of the programs that are measured, wherever they were built.
        "revision": said(
            "git", "-C", home_of("mamd"), "describe", "--always", "--dirty", "--abbrev=12"),
        "mamd": said("mamd", "--version"),
        "processor": cpuinfo("model name") or platform.machine(),
        "features": [name for name in FEATURES if name in cpuinfo("flags").split()],
        "cores": len(os.sched_getaffinity(0)),
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "kernel": platform.release(),
        "load": os.getloadavg()[0],
        "versions": {name: version for name in PACKAGES if (version := version_of(name))},
    }


def cpuinfo(name):
    """Of the first processor; empty if nothing is told."""
    found = re.search(
        rf"^{name}\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else ""


def version_of(package):
    return said("dpkg-query", "-W", "-f", "${Version}", package)


def home_of(program):
    return pathlib.Path(shutil.which(program) or ".").resolve().parent


def said(program, *words):
    """What a program prints, or nothing where it is not there or fails."""
    if not shutil.which(program):
        return ""
    result = subprocess.run([program, *words], capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else ""


def in_words(machine):
    return (
        f"{machine['date']}, {machine['processor']} ({' '.join(machine['features'])}), "
        f"{machine['cores']} processors, "
        f"{machine['memory_mib'] >> 10} GiB, "
        f"Linux {machine['kernel']}, load {machine['load']:.1f} at the start, revision "
        f"{machine['revision'] or 'unknown'}.")


def versions_in_words(machine):
    return ", ".join(f"{name} {version}" for name, version in machine["versions"].items()) + "."
