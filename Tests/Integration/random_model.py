"""What the calls of a plan have probably left: so that most of them meet what they need. It need
not be right, for a call that fails is compared, too."""
import os

FILE, DIRECTORY, LINK = "file", "directory", "link"
NO_REPLACE, EXCHANGE = 1, 2  # of renameat2(2)


class Model:
    """`entries`: name to kind. `slots`: open files, with their flags. `attributes`: name and
    attribute."""

    def __init__(self):
        self.entries = {"d": DIRECTORY, "e": DIRECTORY}
        self.slots, self.attributes = {}, set()

    def names(self, *kinds):
        return [name for name, kind in self.entries.items() if kind in kinds]

    def is_free(self, name):
        directory = name.rpartition("/")[0]
        return name not in self.entries and (
            not directory or self.entries.get(directory) == DIRECTORY)

    def is_empty(self, name):
        return not any(each.startswith(name + "/") for each in self.entries)

    def open_for(self, *modes):
        return [slot for slot, flags in self.slots.items() if flags & os.O_ACCMODE in modes]

    def unnamed(self):
        return [slot for slot, flags in self.slots.items()
                if flags & os.O_TMPFILE == os.O_TMPFILE and not flags & os.O_EXCL]

    def note(self, kind, *arguments):
        """The step is taken as one that succeeds."""
        getattr(self, "do_" + kind, lambda *_: None)(*arguments)

    def add(self, name, kind):
        if self.is_free(name):
            self.entries[name] = kind

    def drop(self, name):
        self.entries.pop(name, None)
        self.attributes = {each for each in self.attributes if each[0] != name}

    def do_open(self, slot, name, flags, _):
        if flags & os.O_CREAT:
            self.add(name, FILE)
        if self.entries.get(name, LINK) != LINK:
            self.slots[slot] = flags

    def do_temporary(self, slot, _directory, flags, _mode):
        self.slots[slot] = os.O_TMPFILE | os.O_RDWR | flags

    def do_give_name(self, slot, name):
        if slot in self.slots:
            self.add(name, FILE)

    def do_close(self, slot):
        self.slots.pop(slot, None)

    def do_replace(self, name, *_):
        self.drop(name)
        self.add(name, FILE)

    def do_link(self, old, new):
        if old in self.entries:
            self.add(new, self.entries[old])

    def do_symlink(self, _, name):
        self.add(name, LINK)

    def do_unlink(self, name):
        if self.entries.get(name) != DIRECTORY:
            self.drop(name)

    def do_mkdir(self, name, _):
        self.add(name, DIRECTORY)

    def do_rmdir(self, name):
        if self.is_empty(name):
            self.drop(name)

    def do_rename(self, old, new, bits):
        if old not in self.entries or f"{old}/".startswith(f"{new}/"):
            return
        if new.startswith(old + "/") or bits == (NO_REPLACE if new in self.entries else EXCHANGE):
            return
        ours, theirs = self.taken(old), self.taken(new)
        if bits == EXCHANGE:
            self.give(old, theirs)
        self.give(new, ours)

    def do_rename_directory(self, names, bits):
        self.do_rename(*names, bits)

    def do_exchange(self, one, other):
        self.do_rename(one, other, EXCHANGE)

    def taken(self, name):
        """What is there and below, by its name's rest: its kind and attributes."""
        below = [each for each in self.entries if each == name or each.startswith(name + "/")]
        found = {
            each[len(name):]: (self.entries[each], [
                attribute for owner, attribute in self.attributes if owner == each])
            for each in below}
        for each in below:
            self.drop(each)
        return found

    def give(self, name, found):
        for rest, (kind, attributes) in found.items():
            self.entries[name + rest] = kind
            self.attributes.update((name + rest, attribute) for attribute in attributes)

    def do_set_attribute(self, name, attribute, flags, _):
        if flags != os.XATTR_REPLACE and self.entries.get(name, LINK) != LINK:
            self.attributes.add((name, attribute))

    def do_remove_attribute(self, attributed):
        self.attributes.discard(attributed)

    def closed(self):
        """After an event that closes all files."""
        self.slots.clear()
