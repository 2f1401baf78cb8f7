"""How soon mamd-prompt asks: from a refused open to the window on the screen.

    measure_prompt.py [--accounts N]

Run by PATH with mamd and mamctl. One time for each account: it is asked for once in ten seconds.
"""
import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))

from desktop_session import DesktopSession
from prompt_case import TITLE
from workspace import Workspace, wait_until


def locked(count):
    """A workspace with so many locked accounts; a file of each, by its name."""
    workspace = Workspace(
        settings={"LockOn": {"IdleSeconds": 0}, "LockGraceSeconds": 0}).init().mount()
    accounts = [f"account{number}@contoso.com" for number in range(count)]
    for account in accounts:
        workspace.register(account)
        workspace.write_as(account, workspace.path(account), "Contoso pays.")
    workspace.await_closed()
    for account in accounts:
        workspace.lock(account)
    return workspace, accounts


def seconds_until_asked(session, path):
    begin = time.monotonic()
    try:
        open(path)
    except OSError:
        pass
    wait_until(lambda: session.windows(TITLE), message="no prompt")
    took = time.monotonic() - begin
    session.focus(session.await_window(TITLE))
    session.await_entry()
    session.keys("Escape")
    session.await_none(TITLE)
    return took


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=10)
    options = parser.parse_args()
    workspace, accounts = locked(options.accounts)
    session = DesktopSession(workspace.environment).start()
    try:
        session.start_agent()
        took = [seconds_until_asked(session, workspace.path(account)) for account in accounts]
    finally:
        session.close()
        workspace.close()
    print(f"{min(took):.3f} to {max(took):.3f} s, {statistics.median(took):.3f} s in the middle")


if __name__ == "__main__":
    main()
