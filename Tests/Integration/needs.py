#!/usr/bin/python3
"""The packages that tests use: prints those of some test files, a line each, for scripts/setup.

    needs.py [FILE…]     all test files, if none is named

A module names the Debian packages of the programs and modules that it uses in a tuple NEEDS
(NAME==VERSION: one of PyPI's, NEW/OLD: two releases' names, NAME/: only where there is one), and a
test file needs what the modules that it imports need, too. So a test's packages are installed by
whoever runs that test, and nobody else.
"""
import ast
import functools
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
# Where the modules are that test files import.
FOLDERS = [TESTS, *(TESTS / name for name in (
    "Integration", "Hostile", "Bench", "Measure", "Programs", "Crash", "Systems"))]


def file_of(module):
    return next(
        (file for folder in FOLDERS if (file := folder / f"{module}.py").exists()), None)


@functools.cache
def read(file):
    """The packages that a file names itself, and the files of the modules that it imports."""
    names, modules = (), set()
    for node in ast.walk(ast.parse(file.read_bytes())):
        match node:
            case ast.Assign(targets=[ast.Name(id="NEEDS")], value=value):
                names = ast.literal_eval(value)
            case ast.Import(names=imported):
                modules.update(one.name for one in imported)
            case ast.ImportFrom(module=str(module)):
                modules.add(module)
    return set(names), {found for module in modules if (found := file_of(module))}


def packages_of(files):
    found, seen, waiting = set(), set(), list(files)
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            names, imported = read(file)
            found |= names
            waiting += imported
    return sorted(found)


if __name__ == "__main__":
    named = [pathlib.Path(argument) for argument in sys.argv[1:]]
    files = named or [
        file for name in ("Integration", "Hostile") for file in (TESTS / name).glob("test_*.py")]
    print(*packages_of(files), sep="\n")
