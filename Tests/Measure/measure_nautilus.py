"""How fast a real Nautilus lists a folder of 10,000 encrypted files, with mamd's extension and
without.

    measure_nautilus.py [--files N] [--rounds N] [--seconds N]

Run by PATH with mamd and mamctl. In seconds, from when the program has its window: `listed`, until
its view has all files; `worked`, its processor time until then; `spent`, its processor time until
--seconds later. `stretch`: the longest time after the listing that its main loop did nothing else.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "Integration"))

from desktop_session import DESKTOP, DesktopSession
from workspace import ANN, Workspace, wait_until

EXTENSION = DESKTOP / "nautilus" / "mamd_nautilus.py"
FIGURES = ("listed", "worked", "spent", "stretch")


def filled(files):
    workspace = Workspace(settings={"LockOn": {"IdleSeconds": 0}}).init().mount().register()
    workspace.run_as(ANN, "sh", "-c", (
        f"mkdir {workspace.path('many')} && cd {workspace.path('many')} && "
        f"for n in $(seq {files}); do echo text > $n.txt; done"))
    return workspace


def run(session, workspace, has_extension, options):
    """One start of Nautilus; its figures."""
    data = session.directory / "data"
    shutil.rmtree(data, ignore_errors=True)
    places = data / "nautilus-python" / "extensions"
    places.mkdir(parents=True)
    (places / "nautilus_probe.py").symlink_to(HERE / "nautilus_probe.py")
    if has_extension:
        (places / "mamd_nautilus.py").symlink_to(EXTENSION)
    result = session.directory / "figures.json"
    result.unlink(missing_ok=True)
    session.environment |= {
        "XDG_DATA_HOME": str(data), "MAMD_PROBE_FILES": str(options.files),
        "MAMD_PROBE_FILE": str(result), "MAMD_PROBE_SECONDS": str(options.seconds)}
    nautilus = session.run("nautilus", "--new-window", workspace.path("many"))
    try:
        wait_until(lambda: result.exists() and result.stat().st_size, 120, "nothing is listed")
        return json.loads(result.read_text())
    finally:
        nautilus.terminate()
        nautilus.wait(timeout=20)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    workspace = filled(options.files)
    session = DesktopSession(workspace.environment).start()
    figures = {False: [], True: []}
    try:
        for has_extension in [False, True, *[False, True] * options.rounds]:
            figures[has_extension].append(run(session, workspace, has_extension, options))
    finally:
        session.close()
        workspace.close()
    for has_extension, runs in figures.items():
        # The first one finds caches cold.
        values = [statistics.median(run[name] for run in runs[1:]) for name in FIGURES]
        print("with extension   " if has_extension else "without extension",
              *(f"{name} {value:.3f}" for name, value in zip(FIGURES, values)))
    for name in ("listed", "worked"):
        ratios = [
            with_it[name] / without[name]
            for without, with_it in zip(figures[False][1:], figures[True][1:])]
        print(f"{name}, with : without = {statistics.median(ratios):.3f}, median of pairs")


if __name__ == "__main__":
    main()
