"""Ways out of a contained program: by the workspace itself."""
import json
import os
import socket
import threading

from ways import FACTS, PLAN, SECRET, WORKSPACE, Refused, command, outside, put, way
from ways_processes import SUPERVISOR


@way
def act_for_another():
    command("mamctl", "run", "--workspace", FACTS["name"], "--identity", FACTS["other"],
            "--unmanaged", "--", "cp", PLAN, os.path.join(WORKSPACE, "given"))


def ctl(*words):
    command("mamctl", *words, "--workspace", FACTS["name"])


@way
def give_the_file_away():
    ctl("owner", "--set", FACTS["other"], "--unmanaged", PLAN)


@way
def decrypt_the_file():
    ctl("decrypt", PLAN)


@way
def have_the_daemon_write():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    connection.sendall(json.dumps({
        "method": "io.mamd.Workspace.Decrypt", "parameters": {
            "sourcePath": FACTS["sealed"], "destinationPath": outside("kept")}}).encode() + b"\0")
    told_by(connection)


def told_by(connection):
    told = json.loads(connection.recv(65536).split(b"\0")[0])
    if "error" in told:
        raise Refused(told["error"])


NOBODY = (b'{"method": "io.mamd.Identity.SetProcessIdentity",'
          b'"parameters": {"identity": null}}\0')


@way
def speak_as_soon_as_it_is_connected():
    """On another thread, before connect(2) has returned."""
    connection = socket.socket(socket.AF_UNIX)

    def speak():
        while True:
            try:
                connection.send(NOBODY)
                return
            except OSError:
                pass

    speaker = threading.Thread(target=speak)
    speaker.start()
    connection.connect(FACTS["socket"])
    speaker.join()
    told_by(connection)


@way
def speak_on_a_connection_with_a_name():
    connection = socket.socket(socket.AF_UNIX)
    connection.bind("\0mamd-leak")
    connection.connect(FACTS["socket"])
    connection.send(NOBODY)
    told_by(connection)


@way
def act_for_another_account():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    socket.send_fds(connection, [json.dumps({
        "method": "io.mamd.Identity.Contain", "parameters": {
            "account": FACTS["account"], "processDescriptor": 0}}).encode() + b"\0"],
        [os.pidfd_open(SUPERVISOR)])
    told_by(connection)


@way
def be_trusted():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    socket.send_fds(connection, [json.dumps({
        "method": "io.mamd.Identity.Trust", "parameters": {
            "account": None, "programDescriptor": 0, "processDescriptor": 1}}).encode() + b"\0"],
        [os.open("/bin/cp", os.O_PATH), os.pidfd_open(os.getpid())])
    told_by(connection)


@way
def import_another_policy():
    policy = os.path.join(WORKSPACE, "policy.json")
    with open(policy, "w") as file:
        json.dump({"displayName": "free", "allowedOutboundDataTransferDestinations": "allApps"},
                  file)
    ctl("policy", "import", policy)


@way
def register_another_account():
    ctl("account", "register", "eve@contoso.com", "--no-passphrase")


@way
def export_the_keys():
    ctl("account", "export", FACTS["account"], "-o", outside("keys"),
        "--passfile", FACTS["passfile"])


@way
def claim_not_to_be_contained():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["socket"])
    connection.sendall(NOBODY)
    told_by(connection)


@way
def write_to_a_file_of_the_persons():
    put(FACTS["plain"], os.O_WRONLY)


@way
def make_a_fifo_in_the_workspace():
    os.mkfifo(os.path.join(WORKSPACE, "a-fifo"))


@way
def make_a_node_in_the_workspace():
    os.mknod(os.path.join(WORKSPACE, "a-socket"), 0o140600)


@way
def set_an_attribute_in_the_workspace():
    os.setxattr(PLAN, "user.leak", SECRET)
