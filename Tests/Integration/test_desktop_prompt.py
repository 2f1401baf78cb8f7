"""mamd-prompt on a desktop: a program meets a closed window, and a person is asked, once."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

import desktop_session
from audit_files import records
from desktop_session import children, memory_has
from prompt_case import TITLE, PromptCase
from workspace import ANN, PASSPHRASE, PROGRAMS, wait_until

WRONG = "Zwetschgenkuchen 77"
# Words of the list, with another checksum.
MISTYPED = "legal winner thank year wave sausage worth useful legal winner thank zoo"
# Longer than a refusal takes to become a window.
PATIENCE = 1.5


class Prompt(PromptCase):
    def meet(self, times=1, program=None):
        """A program that tries to open the file."""
        subprocess.run(
            [program or sys.executable, PROGRAMS / "open_often.py", self.file, str(times)],
            check=True, timeout=60)

    def test_a_thousand_refusals_ask_once(self):
        self.meet(1000)
        self.asked()
        time.sleep(PATIENCE)
        self.assertEqual(len(self.session.windows(TITLE)), 1)
        self.session.type(PASSPHRASE)
        self.session.keys("Return")
        self.session.await_none(TITLE)
        # After ten seconds the audit tells how many there were: that is no new one.
        wait_until(
            lambda: sum(each["count"] for each in records(self.workspace, "--event", "refused"))
            >= 1000)
        time.sleep(PATIENCE)
        self.assertEqual(self.session.windows(TITLE), [])

    @unittest.skipUnless(os.getuid() == 0, "the prompt shows its memory to root alone")
    def test_wrong_then_right_with_the_keyboard_alone(self):
        self.meet()
        self.asked()
        program = os.path.basename(sys.executable)[:15]
        self.session.await_text(f"{program} wants to open “plan.txt”")
        self.session.type(WRONG)
        self.assertTrue(self.is_in_a_memory(WRONG), "the search finds nothing")
        self.session.keys("Return")
        self.session.await_text("That was not right.")
        self.await_forgotten(WRONG)
        time.sleep(1.5)
        self.session.await_entry()
        self.session.type(PASSPHRASE)
        # Not with Return: by way of the buttons.
        self.session.keys("Tab", "Tab", "space")
        self.session.await_none(TITLE)
        self.assertEqual(self.state(), "unlocked")
        self.assertEqual(self.file.read_text(), "Contoso pays.")
        self.await_forgotten(PASSPHRASE)

    def test_mistyped_recovery_words_cost_no_try(self):
        self.meet()
        self.asked()
        self.session.type(MISTYPED)
        self.session.keys("Return")
        self.session.await_text("a word of the recovery passphrase is another")
        self.assertEqual(self.workspace.account()["retryAfterSeconds"], 0)
        self.assertEqual(records(self.workspace, "--event", "wrong-passphrase"), [])
        self.session.await_entry()
        self.session.type(PASSPHRASE)
        self.session.keys("Return")
        self.session.await_none(TITLE)
        self.assertEqual(self.state(), "unlocked")

    def await_forgotten(self, text):
        """A toolkit frees what it showed in its own time."""
        wait_until(lambda: not self.is_in_a_memory(text), message="it is in a memory still")

    def is_in_a_memory(self, text):
        return any(
            memory_has(pid, text) for pid in [self.agent.pid, *children(self.agent.pid)])

    def test_the_process_of_a_prompt_leaves_no_core(self):
        self.meet()
        self.asked()

        def limits():
            for pid in children(self.agent.pid):
                # One that was started for a moment may have ended.
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                    lines = pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines()
                    yield next(line for line in lines if line.startswith("Max core")).split()[4:6]

        wait_until(
            lambda: list(limits()) == [["0", "0"], ["0", "0"]], message="a core could be written")

    def test_dismissed_is_quiet_until_somebody_asks(self):
        self.meet()
        self.asked()
        self.session.keys("Escape")
        self.session.await_none(TITLE)
        self.meet()
        subprocess.run(["cat", self.file], capture_output=True)
        time.sleep(PATIENCE)
        self.assertEqual(self.session.windows(TITLE), [])
        self.session.act("unlock", f"<('{self.workspace.name}', '{ANN}')>")
        self.asked()
        self.session.await_text("Opens its files in the workspace")
        self.session.keys("Escape")
        self.session.await_none(TITLE)

    def test_indexers_ask_nobody(self):
        indexer = pathlib.Path(self.session.directory) / "tracker-miner-fs-3"
        shutil.copy(os.path.realpath(sys.executable), indexer)
        self.meet(program=indexer)
        time.sleep(PATIENCE)
        self.assertEqual(self.session.windows(TITLE), [])
        self.meet()
        self.asked()

    def test_unlocked_elsewhere_takes_it_away(self):
        self.meet()
        self.asked()
        self.workspace.unlock()
        self.session.await_none(TITLE)
        self.assertEqual(self.state(), "unlocked")

    def test_it_survives_its_daemon(self):
        self.workspace.unmount()
        self.workspace.mount()
        self.session.await_follower()
        self.meet()
        self.asked()
        self.session.keys("Escape")

    def test_a_second_one_is_not_started(self):
        second = self.session.run(
            desktop_session.PYTHON, "-B", desktop_session.DESKTOP / "mamd-prompt")
        self.assertEqual(second.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
