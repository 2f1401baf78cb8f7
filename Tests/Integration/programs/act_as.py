"""Makes files under identities: act_as.py SCENE SOCKET DIRECTORY [IDENTITY…]."""
import os
import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from socket_client import Client

scene, socket, directory, *identities = sys.argv[1:]
client = Client(socket)


def act_as(identity, **more):
    client.call("Identity.SetProcessIdentity", identity=identity, **more)


def make(name):
    open(name, "w").close()


def child(work):
    """Forked now; works when the function that it returns is called."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        # Nothing comes from a parent that has failed.
        if os.read(reader, 1):
            work()
        os._exit(0)

    def go():
        os.write(writer, b"1")
        os.waitpid(pid, 0)

    return go


def await_file(name):
    while not os.path.exists(name):
        time.sleep(0.01)


def make_one():
    make("child")


def fork_between(personal, bob):
    def with_grandchild():
        make("personal")
        child(lambda: make("grandchild"))()

    # Without a pause: faster than the clock of start times.
    children = [child(lambda: make("before"))]
    act_as(personal)
    children.append(child(with_grandchild))
    for identity, name in ((bob, "bob"), ("", "nobody"), (None, "after")):
        act_as(identity)
        children.append(child(lambda name=name: make(name)))
    for go in children:
        go()
    make("own")


def hide_inherited(personal, bob, ann):
    def work():
        global client
        client = Client(socket)
        make("inherited")
        act_as(bob)
        make("own")
        act_as(None)
        make("again")

    act_as(personal)
    go = child(work)
    act_as(ann)
    go()


def orphan(personal):
    act_as(personal)
    if os.fork() == 0:
        make("before")
        if os.fork() == 0:
            make("grandchild")
            while os.getppid() != 1 and not os.path.exists("ended"):
                time.sleep(0.01)
            make("after")
            os.rename("after", "done")
            os._exit(0)
        await_file("grandchild")
        os._exit(0)
    os.wait()


def end_scope(personal):
    act_as(personal, scoped=True)
    make("while")
    go = child(lambda: make("child"))
    client.close()
    end = time.monotonic() + 60
    while True:
        make("after")
        with Client(socket) as other:
            if other.call("Identity.GetIdentity")["acting"]["source"] == "default":
                break
        assert time.monotonic() < end
        time.sleep(0.01)
    os.unlink("after")
    make("after")
    go()


def make_if_allowed():
    try:
        make("child")
    except PermissionError:
        os.mkdir("refused")


def fork_in_threads(*identities):
    """Sets each for a thread of its own; all of them have ended when this returns. The child of
    the last one."""
    children, threads, end = [], [], threading.Event()

    def work(identity, set_up):
        threads.append(threading.get_native_id())
        client.call(
            "Identity.SetThreadIdentity", thread=threading.get_native_id(), identity=identity)
        if identity == identities[-1]:
            children.append(child(make_if_allowed))
            end.set()
        set_up.set()
        end.wait(60)

    for identity in identities:
        set_up = threading.Event()
        threading.Thread(target=work, args=(identity, set_up)).start()
        set_up.wait(60)
    while any(os.path.exists(f"/proc/self/task/{thread}") for thread in threads):
        time.sleep(0.01)
    return children[0]


def ended_threads(ann, bob):
    go = fork_in_threads(ann, bob)
    go()


def ended_thread(bob):
    go, beside = fork_in_threads(bob), child(lambda: make("beside"))
    # The daemon now notices that the thread has ended.
    go()
    child(lambda: make("later"))()
    beside()


def ended_thread_and_connection(bob):
    go = fork_in_threads(bob)
    client.close()
    go()


def leave_orphans(bob):
    """They have asked for nothing when this ends."""
    act_as(bob)
    for name, leaves in (("orphan", False), ("daemon", True)):
        if os.fork() == 0:
            parent = os.getpid()
            if os.fork() == 0:
                while os.getppid() == parent:
                    time.sleep(0.01)
                if leaves:
                    os.setsid()
                await_file("go")
                make(name + ".part")
                os.rename(name + ".part", name)
            os._exit(0)
        os.wait()


def leave_after_it_was_taken_back(bob):
    """The child of one that has what its parent had. Neither asks for anything before."""
    act_as(bob)

    def leave():
        parent = os.getpid()
        if os.fork() == 0:
            while os.getppid() == parent:
                time.sleep(0.01)
            make("orphan.part")
            os.rename("orphan.part", "orphan")

    begin = child(leave)
    act_as(None)
    # Start times count in hundredths of a second.
    time.sleep(0.05)
    begin()


def leave_in_session():
    """Its session's leader, which forked it, has ended."""
    if os.fork() == 0:
        os.setsid()
        leader = os.getpid()
        if os.fork() == 0:
            while os.getppid() == leader:
                time.sleep(0.01)
            make("adopted")
        os._exit(0)
    os.wait()


def come_and_go(personal):
    for _ in range(150):
        if os.fork() == 0:
            with Client(socket) as other:
                other.call("Identity.SetProcessIdentity", identity=personal)
            os._exit(0)
        os.wait()


SCENES = {each.__name__: each for each in (
    make_one, fork_between, hide_inherited, orphan, end_scope, ended_thread,
    ended_thread_and_connection, ended_threads, leave_orphans,
    leave_after_it_was_taken_back, leave_in_session, come_and_go)}

if __name__ == "__main__":
    os.chdir(directory)
    SCENES[scene](*identities)
