#!/usr/bin/python3
"""Measures how long answers over the socket take: protectionInfo and questions about policy.

    measure_decisions.py [--clients N] [--calls N] [--rate N] [--limit MS]

Each client is a process with one connection. It asks as fast as it gets answers, or with --rate so
many times a second, each time after a sleep of its own. Beside other work the table is about the
scheduler: its first row is a call that asks nothing. Prints a table in Markdown; with --limit the
exit status is 1 if a p99 is above it. scripts/measure decisions runs it with the programs that were
just built.
"""
import argparse
import array
import json
import multiprocessing
import os
import pathlib
import platform
import random
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Integration"))

from workspace import ANN, Workspace

SAMPLE_POLICY = {
    "displayName": "sample", "pinRequired": False,
    "allowedOutboundDataTransferDestinations": "managedApps",
    "allowedInboundDataTransferSources": "managedApps", "saveAsBlocked": True,
    "allowedDataStorageLocations": ["oneDriveForBusiness"],
    "exemptedAppProtocols": [{"name": "x", "value": "skype;tel"}]}


def questions(path):
    """Name, method, parameters, and whether the file's descriptor goes with it."""
    return (
        # What the socket and the scheduler take.
        ("GetInfo: no question at all", "org.varlink.service.GetInfo", {}, False),
        ("ProtectionInfo, by path", "io.mamd.Workspace.ProtectionInfo", {"path": str(path)}, False),
        ("ProtectionInfo, by descriptor", "io.mamd.Workspace.ProtectionInfo", {"fileDescriptor": 0},
        True),
        ("Ask", "io.mamd.Policy.Ask", {"question": "isPrintingAllowed"}, False),
        ("CanSave", "io.mamd.Policy.CanSave",
        {"location": "OneDriveForBusiness", "owner": ANN, "account": ANN}, False),
        ("CanReceive, of a file", "io.mamd.Policy.CanReceive",
        {"fileDescriptor": 0, "account": ANN}, True),
        ("CanOpenURL", "io.mamd.Policy.CanOpenURL", {"url": "skype:echo123", "account": ANN},
        False),
        ("Answers, all of them", "io.mamd.Policy.Answers", {"account": ANN}, False),
    )


def ask(path, file, method, parameters, sends_file, options, barrier, results):
    """One client: how long each call took, in nanoseconds."""
    client = socket.socket(socket.AF_UNIX)
    client.connect(path)
    frame = json.dumps({"method": method, "parameters": parameters}).encode() + b"\0"
    descriptor = os.open(file, os.O_RDONLY)
    rights = socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [descriptor])
    ancillary = [rights] if sends_file else []
    times = array.array("q")
    barrier.wait()
    for _ in range(options.calls):
        if options.rate:
            # Not in step with the others.
            time.sleep(random.uniform(0, 2 / options.rate))
        start = time.perf_counter_ns()
        client.sendmsg([frame], ancillary)
        reply = client.recv(1 << 16)
        while not reply.endswith(b"\0"):
            reply += client.recv(1 << 16)
        times.append(time.perf_counter_ns() - start)
        if b'"error"' in reply:
            raise SystemExit(reply)
    # The first ones meet code and pages that nothing has used yet.
    results.put(times[options.calls // 20:].tolist())


def measure(workspace, path, method, parameters, sends_file, options):
    barrier = multiprocessing.Barrier(options.clients)
    results = multiprocessing.Queue()
    clients = [
        multiprocessing.Process(
            target=ask,
            args=(str(workspace.socket), path, method, parameters, sends_file, options, barrier,
            results))
        for _ in range(options.clients)]
    for client in clients:
        client.start()
    start = time.perf_counter()
    times = sorted(time for _ in clients for time in results.get(timeout=300))
    seconds = time.perf_counter() - start
    for client in clients:
        client.join()
    if any(client.exitcode for client in clients):
        raise SystemExit("a client failed")
    return times, seconds


def main():
    parser = argparse.ArgumentParser(description="how long answers over the socket take")
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument(
        "--calls", type=int, default=3000, help="of each client and question (3000)")
    parser.add_argument(
        "--rate", type=int, default=0,
        help="of each client in a second; 0, the default: as fast as it goes")
    parser.add_argument("--limit", type=float, help="milliseconds that a p99 may be")
    options = parser.parse_args()
    workspace = Workspace(policy=SAMPLE_POLICY)
    worst = 0.0
    try:
        workspace.init().mount().register()
        path = workspace.path("file")
        path.write_bytes(b"content" * 1000)
        print(
            f"{os.cpu_count()} processors, Linux {platform.release()}, load "
            f"{os.getloadavg()[0]:.1f}; "
              f"{options.clients} clients, {options.calls} calls each, "
              f"{options.rate or 'as many as go'} in a second. Milliseconds.\n")
        print(
            "| question | p50 | p99 | worst | calls in a second |\n| --- | ---: | ---: | ---: | "
            "---: |")
        for name, method, parameters, sends_file in questions(path):
            times, seconds = measure(workspace, path, method, parameters, sends_file, options)
            p50, p99 = (times[int(len(times) * part)] / 1e6 for part in (0.50, 0.99))
            worst = max(worst, p99)
            rate = options.clients * options.calls / seconds
            print(
                f"| {name} | {p50:.3f} | {p99:.3f} | {times[-1] / 1e6:.3f} | {rate:.0f} |",
                flush=True)
    finally:
        workspace.close()
    return 1 if options.limit is not None and worst > options.limit else 0


if __name__ == "__main__":
    sys.exit(main())
