"""The messages of mamctl and its libraries: every literal whose type is Message, by the compiler's
own word.

gettext's xgettext does not know Swift's interpolation, and no pattern knows types: so the compiler
says where the literals are, and this reads them there, as Message does when it runs."""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ROOT / "Sources" / "mamctl"
# With errors whose sentences mamctl shows, its own or the daemon's.
MODULES = [
    "mamctl", "MAMCommandLine", "MAMWire", "MAMFleet", "MAMOffice", "MAMCrypto", "MAMKeyring",
    "MAMPolicy", "MAMSignIn", "MAMStore", "MAMModel", "MAMEnrollment", "MAMVault", "MAMWorkspace",
    "MAMControl", "MAMPlaces", "mamd"]
MESSAGE = "$s8MAMModel7MessageVD"
LITERAL = re.compile(r'^(?!\s*//).*"[^"\n]*[A-Za-z]|"""', re.MULTILINE)
FEATURES = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"]
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", '"': '"', "\\": "\\", "'": "'"}

# Sentences that JSON has as they are, and that mamctl shows by Message(known:).
KNOWN = {
    "MAMKeyring/KeyFileKinds.swift": r'static let name = "([^"]+)"',
    "mamctl/Policy/CanVerbs.swift": r'reason: "([^"]+)"',
    "mamctl/Fleet/FleetRecord.swift": r'(?:return |\.\w+, )"(it[^"\\]+)"',
}


def built():
    """The directory of the newest build: a module alone may be older than another build's."""
    newest = {
        max((module.stat().st_mtime for module in place.glob("*.swiftmodule")), default=0): place
        for place in (ROOT / ".build" / kind / "Modules" for kind in ("debug", "release"))}
    latest = max(newest)
    if latest == 0:
        raise SystemExit("po/update: nothing is built here. Try: scripts/build")
    return newest[latest].parent


def message_starts(module):
    """Where messages begin, in bytes, by file; only of those that may have one: they have a literal
    with a letter, and import the type, as who uses a member of it must (MemberImportVisibility)."""
    files = sorted((ROOT / "Sources" / module).rglob("*.swift"))
    chosen = [path for path in files if may_have_message(module, path.read_text())]
    others = [path for path in files if path not in chosen]
    place = built()
    fuse = subprocess.run(
        ["pkg-config", "--cflags", "fuse3"], capture_output=True, text=True, check=True).stdout
    ours = [f"-I{path}" for path in sorted(ROOT.glob("Sources/C*/include"))]
    headers = [word for flag in [*ours, *fuse.split()] for word in ("-Xcc", flag)]
    maps = [*place.glob("*.build/module.modulemap"), *ROOT.glob("Sources/C*/module.modulemap")]
    # The compiler writes the trees one after another.
    told = subprocess.run(
        ["swift-frontend", "-frontend", "-dump-ast", "-dump-ast-format", "json",
         "-module-name", module, "-swift-version", "6",
         "-package-name", ROOT.name.replace("-", "_"),
         *(word for name in FEATURES for word in ("-enable-upcoming-feature", name)),
         "-I", place / "Modules",
         *(word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")),
         *headers, *others, *(word for path in chosen for word in ("-primary-file", path))],
        capture_output=True, text=True, check=False)
    at, starts = 0, {}
    while (start := told.stdout.find('{"_kind":"source_file"', at)) >= 0:
        found = []
        tree, at = decoder_into(found).raw_decode(told.stdout, start)
        starts[pathlib.Path(tree["filename"])] = found
    if told.returncode or sorted(starts) != chosen:
        errors = [line for line in told.stderr.splitlines() if ": error: " in line]
        raise SystemExit("\n".join([
            f"po/update: {module}: the compiler read {len(starts)} of {len(chosen)} files",
            *errors[:5]]))
    return starts


def may_have_message(module, text):
    return (module == "MAMModel" or "import MAMModel" in text) and LITERAL.search(text)


def decoder_into(found):
    """Of a syntax tree: keeps where messages begin, and of the tree itself what names its file."""
    def kept(part):
        if part.get("type") == MESSAGE and part.get("_kind", "").endswith("string_literal_expr"):
            found.append(part["range"]["start"])
        return part if "start" in part or "filename" in part else None

    return json.JSONDecoder(object_hook=kept)


class Literal:
    """A string literal: its format, as gettext knows it, and where it ends."""

    def __init__(self, text, start):
        self.quote = '"""' if text.startswith('"""', start) else '"'
        self.parts, at = [], start + len(self.quote)
        while not text.startswith(self.quote, at):
            at = self.take(text, at)
        self.end = at + len(self.quote)
        self.format = "".join(self.parts)
        if self.quote == '"""':
            self.unindent()

    def take(self, text, at):
        if text[at] != "\\":
            self.parts.append("%%" if text[at] == "%" else text[at])
            return at + 1
        letter = text[at + 1]
        if letter == "(":
            self.parts.append("%s")
            return skip_parentheses(text, at + 1)
        if letter == "u":
            digits = re.compile(r"\{([0-9A-Fa-f]+)\}").match(text, at + 2)
            self.parts.append(chr(int(digits[1], 16)))
            return digits.end()
        if letter == "\n":
            self.parts.append("\0")  # a line that goes on
            return at + 2
        self.parts.append(ESCAPES[letter])
        return at + 2

    def unindent(self):
        """Of a literal of several lines, the last line's indentation is not part of it."""
        lines = re.split(r"(\n|\0)", self.format)
        depth = len(lines[-1])
        kept = [part if part in "\n\0" else part[depth:] for part in lines[2:-2]]
        self.format = "".join(kept).replace("\0", "")


def skip_parentheses(text, at):
    depth = 0
    while True:
        if text[at] == '"':
            at = Literal(text, at).end
            continue
        depth += (text[at] == "(") - (text[at] == ")")
        at += 1
        if depth == 0:
            return at


PLUS = re.compile(r"\s*\+\s*")


def literals(text, places):
    """(format, what stands before it) of each message; those with + between are one."""
    taken = set()
    for place in sorted(places):
        if place in taken:
            continue
        literal = Literal(text, place)
        whole = literal.format
        while (plus := PLUS.match(text, literal.end)) and plus.end() in places:
            taken.add(plus.end())
            literal = Literal(text, plus.end())
            whole += literal.format
        yield whole, text[:place].rstrip()


def of_file(path, starts):
    """(singular or message, plural or None) of each message."""
    data = path.read_bytes()
    text = data.decode()
    # The compiler counts bytes.
    places = {len(data[:start].decode()) for start in starts}
    singular = None
    for message, before in literals(text, places):
        if before.endswith("one:"):
            singular = message
        elif before.endswith("many:"):
            yield singular, message
        else:
            yield message, None
    if "HTML" not in text:
        for noun in re.findall(r'counted\("([a-z ]+)"\)', text):
            yield f"%s {noun}", f"%s {noun}s"


def of_known():
    for name, pattern in KNOWN.items():
        messages = re.findall(pattern, (ROOT / "Sources" / name).read_text())
        if not messages:
            raise SystemExit(f"po/update: {name} has no sentence any more")
        for message in messages:
            yield message.replace("%", "%%"), None


def all_messages():
    """Every message, with its plural or None."""
    found = {}
    for module in MODULES:
        for path, starts in message_starts(module).items():
            for message, plural in of_file(path, starts):
                # One that is a singular elsewhere is the same message.
                found[message] = plural or found.get(message)
    found.update(of_known())
    # What stands between thousands.
    return {"1,000": None} | {
        message: plural for message, plural in found.items() if has_words(message)}


VERBS = re.compile(r'^    Verb\(\s*name: "([a-z -]+)"', re.M)


def command_words():
    names = [name for path in SOURCES.rglob("*.swift")
             for name in VERBS.findall(path.read_text())]
    return {"mamctl", "mamfleet"}.union(*(name.split() for name in names))


COMMAND_WORDS = command_words()
OTHER_COMMANDS = re.compile(
    r"(mkdir|xdg-open|kill -CONT) %s|(sudo )?apt(-get)? install \w+|ls /\S+|mamctl:[%s: ]*")


def has_words(message):
    """Whether a translator has something to do: data and commands stay as they are."""
    words = re.sub(r"%s|%%", " ", message).split()
    plain = [word for word in words if any(letter.isalpha() for letter in word)]
    if not plain or OTHER_COMMANDS.fullmatch(message):
        return False
    is_command = plain[0] in ("mamctl", "mamfleet") or plain[0].startswith("--")
    return not is_command or not all(map(is_of_command, plain))


def is_of_command(word):
    return word.strip("[]|;,.…:'\"") in COMMAND_WORDS or bool(
        re.fullmatch(r"[\[\]|]*(--?[a-z0-9-]+|[A-Z|]+)(=[A-Z]+)?[\[\]|]*", word))
