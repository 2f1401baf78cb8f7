"""Reading the audit, over the socket and from its files."""
import json


def records(workspace, *options):
    """What mamctl tells, one dictionary each."""
    return [
        json.loads(line)
        for line in workspace.serving("audit", "--json", *options).stdout.splitlines()]


def files(workspace):
    return sorted((workspace.state / "audit").iterdir())


def stored(workspace):
    """What the files have; what is no JSON is left out, as every reader must."""
    found = []
    for path in files(workspace):
        for line in path.read_bytes().splitlines():
            try:
                found.append(json.loads(line))
            except ValueError:
                pass
    return sorted(found, key=lambda record: record["sequence"])
