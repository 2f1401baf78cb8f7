"""Programs at a terminal: vim, emacs, nano, less. Each gives what it said when it was to save
outside."""


def vim(place):
    plan, copy = place.document("plan.txt"), place.files / "copy.txt"
    terminal = place.start_program("vim", plan)
    try:
        terminal.expect("second line")
        terminal.type("Gothird line\x1b")
        terminal.quiet()
        terminal.type(":w\r")
        terminal.expect("written")
        terminal.type(f":w {copy}\r")
        terminal.expect("written")
        terminal.type(f":w {place.outside}/copy.txt\r")
        said = terminal.expect(r"E\d+: [^\r\n\x1b]*(?:writing|write)[^\r\n\x1b]*")
        terminal.type("\r")
        # A swap file is there while it edits.
        place.demand(list(place.files.glob(".*.swp")), "no swap file in the workspace")
        terminal.type(":q!\r")
        terminal.end(20)
    finally:
        terminal.close()
    place.says(plan, "third line")
    place.says(copy, "third line")
    return said


def emacs(place):
    plan, copy = place.document("plan.txt"), place.files / "copy.txt"
    terminal = place.start_program("emacs", "-nw", plan)
    try:
        terminal.expect("second line")
        terminal.quiet(1.5)
        terminal.type("\x1b>third line\n")
        terminal.quiet()
        terminal.type("\x18\x13")
        terminal.expect("Wrote ")
        terminal.type("\x18\x17")
        terminal.expect("Write file")
        terminal.type(f"\x01\x0b{copy}\r")
        terminal.expect("Wrote ")
        terminal.type("\x18\x17")
        terminal.expect("Write file")
        terminal.type(f"\x01\x0b{place.outside}/copy.txt\r")
        said = terminal.expect(r"Opening output file: [^\x1b\r\n]*?denied|[^\x1b\r\n]*not writable")
        terminal.quiet()
        # What is typed before it is forgotten.
        terminal.type("\x07")
        terminal.quiet()
        terminal.type("\x1bxkill-emacs\r")
        terminal.end(20)
    finally:
        terminal.close()
    place.says(plan, "third line")
    place.says(copy, "third line")
    return said


def nano(place):
    plan, copy = place.document("plan.txt"), place.files / "copy.txt"
    terminal = place.start_program("nano", "--backup", "--historylog", plan)
    try:
        terminal.expect("second line")
        terminal.quiet()
        terminal.type("third line\r\x0f\r")
        terminal.expect("Wrote ")
        terminal.quiet()
        terminal.type(f"\x0f\x0b{copy}\r")
        terminal.quiet()
        # It asks whether under another name.
        terminal.type("y")
        terminal.quiet()
        terminal.type(f"\x0f\x0b{place.outside}/copy.txt\r")
        terminal.quiet()
        terminal.type("y")
        said = terminal.expect("Error writing [^]]*denied|[^[]*not writable")
        terminal.quiet()
        terminal.type("\x18n")
        terminal.end(20)
    finally:
        terminal.close()
    place.says(plan, "third line")
    place.says(copy, "third line")
    return said


def less(place):
    plan, copy = place.document("plan.txt"), place.files / "copy.txt"

    def log_to(path, answer):
        terminal = place.start_program("sh", "-c", 'cat "$1" | less', "sh", plan)
        try:
            terminal.expect(place.phrase)
            terminal.type("/second\r")
            terminal.quiet()
            terminal.type(f"s{path}\r")
            said = terminal.expect(answer)
            terminal.quiet()
            terminal.type("\rq")
            terminal.end(20)
        finally:
            terminal.close()
        return said

    log_to(copy, "END")
    place.says(copy)
    return log_to(place.outside / "copy.txt", "Cannot [^\r\n\x1b(]*").strip()
