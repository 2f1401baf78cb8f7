"""Every vector of Tests/Vectors as a file of a workspace: `verify` finds just what is wrong with
each."""
import base64
import json
import pathlib
import shutil

from keybags import add_account
from workspace import DAMAGED, WorkspaceCase

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "Vectors"

# Where it is not what the vector's `step` says: (problem, what --repair makes of it).
OTHERS = {
    "block-zeroed": {("zeros", "incomplete")},
    "unfinished-tail": {("tail", "repaired"), ("end", "repaired")},
    "longer-4096": {("tail", "repaired")},
    "sparse-last-zeroed": {("tail", "repaired"), ("end", "repaired")},
    "wrap-key-id": {("keyMissing", "unchecked")},
    "newer": {("newer", "unchecked")},
    "newer-bad-checksum": {("newer", "unchecked")},
    # Plain, and they name an account that is here.
    "unmanaged-0": {("unsealed", "left")},
    "unmanaged-5": {("unsealed", "left")},
}
TELL_THEIR_SIZE = ("cut-in-hole", "cut-hole-away", "early-end", "longer-1", "old-last-block")
STEPS = {"header": "header", "key": "header", "size": "size", "blocks": "blocks"}


def read(path):
    """The fields, and the physical bytes."""
    head, body = path.read_text().split("---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
    return fields, base64.b64decode(body.replace("\n", "")) + bytes(int(fields.get("hole", 0)))


def expected(name, fields):
    """Problems, and what a repair makes of them."""
    if name in OTHERS:
        return OTHERS[name]
    if fields["expect"] in ("ok", "unmanaged", "empty"):
        return set()
    if fields["expect"] == "foreign":
        return {("foreign", "noted")}
    if fields["expect"] == "wrong-end":
        return {("end", "repaired" if name in TELL_THEIR_SIZE else "incomplete")}
    # A block is given up, and the others stay.
    return {(STEPS[fields["step"]], "incomplete" if fields["step"] == "blocks" else "quarantined")}


class Vectors(WorkspaceCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        enrollment = cls.workspace.state / "enrollment"
        record = enrollment / cls.workspace.account()["id"]
        cls.workspace.unmount()
        cls.vectors = {path.stem: read(path) for path in VECTORS.glob("*.vector")}
        seen = set()
        for fields, _ in cls.vectors.values():
            key = fields.get("class-key") or fields.get("class-private")
            if key and fields["key-id"] not in seen:
                seen.add(fields["key-id"])
                number = "ABCD".index(fields["class"]) + 1
                given = {number: (bytes.fromhex(fields["key-id"]), bytes.fromhex(key))}
                account = add_account(
                    cls.workspace.state, f"vector-{len(seen)}@contoso.com", given)
                # Without a record it would be locked out.
                shutil.copy(record, enrollment / account)

    def setUp(self):
        pass

    def verify(self, *options, status):
        result = self.workspace.ctl(
            "verify", self.workspace.backing, "--json", *options, status=status)
        answer = json.loads(result.stdout)
        found = {name: set() for name in self.vectors}
        for finding in answer["findings"]:
            found[finding["path"]].add((finding["problem"], finding["outcome"]))
        return found, answer["summary"]

    def test_each_is_found_and_mended_or_moved_away(self):
        for name, (_, data) in self.vectors.items():
            self.workspace.on_disk(name).write_bytes(data)
        wanted = {name: expected(name, fields) for name, (fields, _) in self.vectors.items()}
        told = {"unchecked", "noted"}
        left = {
            name: {(problem, outcome if outcome in told else "left") for problem, outcome in each}
            for name, each in wanted.items()}
        found, summary = self.verify(status=DAMAGED)
        self.assertEqual(found, left)
        self.assertEqual(summary["files"], len(self.vectors))
        for name, (_, data) in self.vectors.items():
            self.assertEqual(self.workspace.on_disk(name).read_bytes(), data, name)
        found, _ = self.verify("--repair", status=DAMAGED)
        self.assertEqual(found, wanted)
        (quarantine,) = (
            path for path in self.workspace.on_disk(".mamd", "quarantine").iterdir()
            if path.is_dir())
        marked = {name for name, each in wanted.items() if ("blocks", "incomplete") in each}
        foreign = {name for name, each in wanted.items() if each == {("foreign", "noted")}}
        self.assertEqual(summary["foreign"], len(foreign))
        moved = {
            name for name, each in wanted.items()
            if any(outcome == "quarantined" for _, outcome in each)}
        self.assertEqual({path.name for path in quarantine.iterdir()}, moved | marked)
        for name in moved:
            self.assertEqual((quarantine / name).read_bytes(), self.vectors[name][1], name)
        for name in moved | marked:
            self.assertEqual(self.workspace.on_disk(name).exists(), name in marked, name)
        log = [
            json.loads(line) for line in pathlib.Path(f"{quarantine}.log").read_text().splitlines()]
        self.assertEqual({line["path"] for line in log}, moved | marked)
        found, summary = self.verify("--repair", status=DAMAGED)
        self.assertEqual(
            {name for name, each in found.items() if each},
            {"newer", "newer-bad-checksum", "wrap-key-id", "unmanaged-0", "unmanaged-5"} | foreign
            | marked)
        self.assertEqual(
            (summary["left"], summary["repaired"], summary["quarantined"]), (2 + len(marked), 0, 0))
        self.assertEqual({found[name].pop() for name in marked}, {("lost", "left")})
        good = [name for name, each in wanted.items() if {outcome for _, outcome in each} <= told]
        for name in good:
            self.assertEqual(self.workspace.on_disk(name).read_bytes(), self.vectors[name][1], name)
