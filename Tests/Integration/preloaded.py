"""Libraries that stand in for a kernel or a store, below a daemon that is started with them."""
import os
import subprocess
import tempfile

NEEDS = ("gcc", "libc6-dev", "libsodium-dev")

SOURCES = os.path.join(os.path.dirname(__file__), "..", "Kernels")


def library(name, build):
    """Of Tests/Kernels/`name`.c, made in the directory `build` if it is not there."""
    source, path = os.path.join(SOURCES, f"{name}.c"), build / f"{name}.so"
    if not path.exists() or path.stat().st_mtime < os.stat(source).st_mtime:
        build.mkdir(exist_ok=True)
        # Several files of tests may come to this at once.
        with tempfile.NamedTemporaryFile(dir=build, delete=False) as new:
            subprocess.run(
                ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", new.name,
                 source],
                check=True)
        os.chmod(new.name, 0o755)
        os.rename(new.name, path)
    return str(path)


def preload(name, build, environment):
    """Adds such a library to those that the environment gives to programs."""
    others = environment.get("LD_PRELOAD", "")
    environment["LD_PRELOAD"] = f"{library(name, build)} {others}".strip()


def derive_cheaply(space, build):
    """A workspace's exports, too, cost little; `build`: where the library is."""
    preload("cheap_derivation", build, space.environment)
    return space
