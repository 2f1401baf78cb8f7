"""The identity that a thread, a process and its children work for, and how long."""
import json
import subprocess
import sys
import threading

from socket_client import Client, Refusal
from workspace import ANN, BOB, FAMILY, PERSONAL, PROGRAMS, WorkspaceCase, wait_until


class Identities(WorkspaceCase):
    accounts = (ANN, BOB)

    def client(self):
        client = Client(self.workspace.socket)
        self.addCleanup(client.close)
        return client

    def play(self, scene, *identities):
        """A program in the test's directory."""
        subprocess.run(
            [sys.executable, "-B", PROGRAMS / "act_as.py", scene, self.workspace.socket,
             self.directory, *identities],
            check=True, timeout=60, env=self.workspace.environment)

    def owners(self):
        return {path.name: self.workspace.owner(path) for path in sorted(self.directory.iterdir())}

    # Processes

    def test_a_child_keeps_what_its_parent_had_when_it_was_forked(self):
        self.play("fork_between", PERSONAL, BOB)
        self.assertEqual(self.owners(), {
            "before": ANN, "personal": PERSONAL, "grandchild": PERSONAL, "bob": BOB,
            "nobody": self.nobodys_name(), "after": ANN,
            "own": ANN})

    def nobodys_name(self):
        path = self.workspace.path("of-nobody")
        self.workspace.write_as("", path, "")
        return self.workspace.owner(path)

    def test_an_own_identity_hides_the_inherited_one_until_it_is_taken_back(self):
        self.play("hide_inherited", PERSONAL, BOB, ANN)
        self.assertEqual(self.owners(), {"inherited": PERSONAL, "own": BOB, "again": PERSONAL})

    def test_an_orphan_keeps_what_it_was_seen_with(self):
        self.play("orphan", PERSONAL)
        (self.directory / "ended").touch()
        wait_until((self.directory / "done").exists)
        self.assertEqual(
            self.owners(),
            {"before": PERSONAL, "grandchild": PERSONAL, "ended": ANN, "done": PERSONAL})

    def test_a_scoped_identity_ends_with_its_connection_and_children_keep_it(self):
        self.play("end_scope", PERSONAL)
        self.assertEqual(self.owners(), {"while": PERSONAL, "child": PERSONAL, "after": ANN})

    def test_another_process_is_not_reached(self):
        with self.client() as client:
            client.call("Identity.SetProcessIdentity", identity=PERSONAL)
            try:
                self.play("make_one")
                (self.directory / "own").touch()
            finally:
                client.call("Identity.SetProcessIdentity", identity=None)
        self.assertEqual(self.owners(), {"child": PERSONAL, "own": PERSONAL})
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            for thread in (sleeper.pid, 1):
                with self.assertRaises(Refusal) as caught:
                    self.client().call(
                        "Identity.SetThreadIdentity", thread=thread, identity=PERSONAL)
                self.assertEqual(caught.exception.name, "InvalidInput")
        finally:
            sleeper.kill()
            sleeper.wait()

    # Threads

    def test_threads_with_different_identities_create_at_the_same_time(self):
        identities = [ANN, BOB, PERSONAL, "", "other@example.org", None]
        start, client = threading.Barrier(len(identities)), self.client()
        lock, problems = threading.Lock(), []

        def work(number, identity):
            try:
                with lock:
                    client.call(
                        "Identity.SetThreadIdentity", thread=threading.get_native_id(),
                        identity=identity)
                start.wait(60)
                for count in range(30):
                    with open(self.directory / f"{number}-{count}", "w") as file:
                        file.write("x")
            except Exception as problem:
                problems.append(problem)

        threads = [threading.Thread(target=work, args=pair) for pair in enumerate(identities)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])
        nobody = self.nobodys_name()
        for number, identity in enumerate(identities):
            expected = {None: ANN, "": nobody}.get(identity, identity)
            found = {
                self.workspace.owner(self.directory / f"{number}-{count}") for count in (0, 15, 29)}
            self.assertEqual(found, {expected}, identity)

    def test_a_threads_identity_comes_before_its_processs_and_ends_with_the_connection(self):
        client, thread = self.client(), threading.get_native_id()
        other = self.client()
        other.call("Identity.SetProcessIdentity", identity=BOB)
        try:
            client.call("Identity.SetThreadIdentity", thread=thread, identity=PERSONAL)
            (self.directory / "thread").touch()
            acting = other.call("Identity.GetIdentity", thread=thread)["acting"]
            self.assertEqual(
                (acting["name"], acting["source"], acting["managed"]), (PERSONAL, "thread", False))
            client.close()
            wait_until(lambda: other.call("Identity.GetIdentity")["acting"]["source"] == "process")
            (self.directory / "process").touch()
        finally:
            other.call("Identity.SetProcessIdentity", identity=None)
        (self.directory / "default").touch()
        self.assertEqual(self.owners(), {"thread": PERSONAL, "process": BOB, "default": ANN})

    def test_a_threads_identity_ends_with_null(self):
        client, thread = self.client(), threading.get_native_id()
        client.call("Identity.SetThreadIdentity", thread=thread, identity="")
        self.assertEqual(client.call("Identity.GetIdentity")["acting"]["name"], "")
        client.call("Identity.SetThreadIdentity", thread=thread, identity=None)
        self.assertEqual(client.call("Identity.GetIdentity")["acting"]["name"], ANN)

    def test_a_threads_children_have_its_identity_and_keep_it(self):
        client, go = self.client(), self.workspace.root / "go"

        def child(name):
            # It asks for nothing before it may go on.
            return subprocess.Popen(
                ["sh", "-c", 'until [ -e "$1" ]; do sleep 0.05; done; sh -c ": > \\"$2\\""', "sh",
                 go, self.directory / name])

        def act_as(identity):
            client.call(
                "Identity.SetThreadIdentity", thread=threading.get_native_id(), identity=identity)

        children, problems = [], []

        def work():
            try:
                children.append(child("before"))
                act_as(PERSONAL)
                children.append(child("personal"))
                act_as(BOB)
                children.append(child("bob"))
                subprocess.run(["touch", self.directory / "at once"], check=True)
                act_as(None)
                children.append(child("after"))
            except Exception as problem:
                problems.append(problem)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(problems, [])
        children.append(child("beside"))
        go.touch()
        self.assertEqual([each.wait(60) for each in children], [0] * 5)
        self.assertEqual(self.owners(), {
            "before": ANN, "personal": PERSONAL, "bob": BOB, "at once": BOB, "after": ANN,
            "beside": ANN})

    # The command line

    def test_a_daemon_that_a_command_leaves_behind_keeps_its_identity(self):
        # Nothing of it asks for a file before all its ancestors have ended.
        daemon = (
            'setsid sh -c \'until [ -e "$2" ]; do sleep 0.05; done; cd "$1"; : > first; '
            'sh -c ": > child"; mv first done\' sh "$1" "$2" > /dev/null 2>&1 & exit 3')
        go = self.workspace.root / "go of a daemon"
        result = self.workspace.run_as(
            PERSONAL, "sh", "-c", f"({daemon})", "sh", self.directory, go, check=False)
        self.assertEqual(result.returncode, 3)
        go.touch()
        wait_until((self.directory / "done").exists)
        self.assertEqual(self.owners(), {"child": PERSONAL, "done": PERSONAL})

    def test_a_daemon_keeps_its_identity_whatever_it_forks_and_forgets(self):
        # Twice: what is left has no ancestor that was there while the command ran, and none of them
        # asked for a file.
        daemon = (
            '(setsid sh -c \'(until [ -e "$2" ]; do sleep 0.05; done; cd "$1"; '
            '(: > grandchild; mv grandchild done) &) &\' sh "$1" "$2" > /dev/null 2>&1 &)')
        go = self.workspace.root / "go of a grandchild"
        self.workspace.run_as(PERSONAL, "sh", "-c", daemon, "sh", self.directory, go)
        go.touch()
        wait_until((self.directory / "done").exists)
        self.assertEqual(self.owners(), {"done": PERSONAL})

    def test_one_with_too_many_ancestors_tells_nothing_of_those_with_fewer(self):
        """Of 1,024 the daemon looks at, docs/adr/0069."""
        # What is deepest asks first.
        middle = 'sh -c "$0" "$0" 400 touch "$1/deep"; touch "$1/middle"'
        self.workspace.run_as(
            PERSONAL, "sh", "-c", FAMILY, FAMILY, "700", "sh", "-c", middle, FAMILY,
            self.directory)
        self.assertEqual(self.owners(), {"deep": ANN, "middle": PERSONAL})

    def test_no_environment_says_for_whom_a_program_works(self):
        with self.client() as client:
            self.assertEqual(client.call("Identity.SetProcessIdentity", identity=BOB), {})
            client.call("Identity.SetProcessIdentity", identity=None)

    def test_identity_show_tells_who_and_why(self):
        show = ("mamctl", "identity", "show", "--json", "--workspace", self.workspace.name)
        own = json.loads(self.workspace.ctl(*show[1:]).stdout)
        self.assertEqual((own["name"], own["source"], own["process"]), (ANN, "default", None))
        result = self.workspace.run_as(PERSONAL, "sh", "-c", 'echo $$; "$@"; :', "sh", *show)
        _, _, answer = result.stdout.decode().partition("\n")
        acting = json.loads(answer)
        self.assertEqual((acting["name"], acting["source"]), (PERSONAL, "process"))
        text = self.workspace.run_as(
            "", "mamctl", "identity", "show", "--workspace", self.workspace.name).stdout
        self.assertTrue(text.startswith(b"nobody\tnot managed\tinherited from process "), text)


class LostAncestors(WorkspaceCase):
    """Without a default account, a file whose maker's identity is lost would be plain."""

    settings = {"MultiIdentity": True}
    accounts = (ANN, BOB)
    play, owners = Identities.play, Identities.owners

    def test_a_child_of_a_thread_that_ended_has_its_identity(self):
        self.play("ended_thread", BOB)
        # Nothing tells that the other one is not that thread's.
        self.assertEqual(self.owners(), {"child": BOB, "beside": BOB, "later": "nobody"})

    def test_so_has_one_whose_threads_connection_ended_first(self):
        self.play("ended_thread_and_connection", BOB)
        self.assertEqual(self.owners(), {"child": BOB})

    def test_orphans_that_were_never_seen_have_it_however_many_came_since(self):
        self.play("leave_orphans", BOB)
        self.play("come_and_go", PERSONAL)
        self.workspace.write_as("", self.directory / "go", "")
        for name in ("orphan", "daemon"):
            wait_until((self.directory / name).exists)
        self.assertEqual(self.owners(), {"go": "nobody", "orphan": BOB, "daemon": BOB})

    def test_so_has_one_of_a_child_whose_parent_has_none_any_more(self):
        self.play("leave_after_it_was_taken_back", BOB)
        wait_until((self.directory / "orphan").exists)
        self.assertEqual(self.owners(), {"orphan": BOB})

    def test_what_a_supervisor_adopts_has_its_identity_whoever_ended_before(self):
        self.play("come_and_go", BOB)
        self.workspace.ctl(
            "run", "--identity", PERSONAL, "--unmanaged", "--", sys.executable, "-B",
            PROGRAMS / "act_as.py", "leave_in_session", self.workspace.socket, self.directory)
        wait_until((self.directory / "adopted").exists)
        self.assertEqual(self.owners(), {"adopted": PERSONAL})


class LostAncestorsOfTwoAccounts(WorkspaceCase):
    """Its daemon sees no others: their identities would be possible for them, too."""

    settings = LostAncestors.settings
    accounts = (ANN, BOB)
    play = Identities.play

    def test_where_it_may_have_two_accounts_it_makes_no_file(self):
        self.play("ended_threads", ANN, BOB)
        self.assertEqual([path.name for path in self.directory.iterdir()], ["refused"])
