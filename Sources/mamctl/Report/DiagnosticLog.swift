// The daemon's log without names. Names cannot be recognised in a line, so only lines of known
// forms are shown, and of these only the fixed words.

internal import MAMModel
internal import MAMSystem

/// `*` matches anything and is shown as `…`; `#` matches a number, which is shown.
private let knownLines = [
    "serving * at *", "stopping: writing back and unmounting *", "* is no longer served",
    "* was registered by uid #", "* is registered again", "* is unlocked", "* is locked",
    "* will be locked in # s", "* was not used for # s", "* is not blocked any more: *",
    "* is blocked: *", "the passphrase of * was changed", "a wrong passphrase for *",
    "* was deregistered", "* is being wiped (*", "* is wiped: # files were removed",
    "* is wiped: # file was removed",
    "the wipe of * is not complete: it goes on at the next start, or with mamctl wipe",
    "a file of the wiped account * is left: *",
    "the lock's deadline of # s passed: *", "locked at the deadline of # s although *",
    "stopping although *", "lost: # bytes at # that were written to a file of *",
    "a file of * was cut off, or a write to it was interrupted by a crash", "a file of *",
    "the last daemon did not exit cleanly: checking all files", "all files checked",
    "not all files could be checked: retrying at the next start",
    "the machine is about to sleep", "connected to logind: screen locks and sleep are noticed",
    "logind is not running: screen locks and sleep are not noticed", "logind: *",
    "no system bus: *", "* has changed: # documents", "* has changed: # document",
    "* is refused: *",
    "* cannot be read: *", "check-in: *", "hook *",
    "enrollment/* cannot be written: *",
    "the audit cannot be written: *", "the audit can be written again",
    "the next start will check all files: cannot record the clean exit: *",
    "* could not be unmounted: *", "the device's threat level is *", "* has the object id *",
    "files keep their old classes until they are opened: *",
    "the files will be gone through once more: *",
    "caches of contained programs of * cleared: # files",
    "caches of contained programs are cleared later: *",
    "* is registered for uid # by AutoEnrollOnLaunch", "policy names * which is not registered: *",
].map { $0.split(separator: " ").map(String.init) }

/// Takes a line of the log file or of the journal, which starts with its time.
func withoutNames(_ line: String) -> String {
    let parts = line.split(separator: " ", maxSplits: 2)
    // `2026-05-04T03:02:01Z mamd: …`
    guard parts.count == 3, parts[1] == "mamd:" || parts[1].hasPrefix("mamd["),
        parts[0].utf8.allSatisfy({ "0123456789-:TZ+.".utf8.contains($0) })
    else { return "…" }
    let words = parts[2].split(separator: " ")
    let text = knownLines.lazy.compactMap { shown(words[...], as: $0[...]) }.first
    return "\(parts[0]) mamd: \(text ?? "…")"
}

/// Nil if the words do not match the form.
private func shown(
    _ words: ArraySlice<Substring>, as form: ArraySlice<String>
) -> String? {
    guard let first = form.first else { return words.isEmpty ? "" : nil }
    let rest = form.dropFirst()
    guard first.contains("*") else {
        guard let word = words.first, first == "#" ? Int64(word) != nil : first == word else {
            return nil
        }
        return shown(words.dropFirst(), as: rest).map { joined(String(word), $0) }
    }
    // Match as few words as possible, but at least one.
    let mark = first.replacing("*", with: "…")
    for count in 1..<max(2, words.count + 1) where count <= words.count {
        guard ends(words[words.startIndex + count - 1], like: first) else { continue }
        if let end = shown(words.dropFirst(count), as: rest) { return joined(mark, end) }
    }
    return nil
}

/// Whether a word ends as a form such as `*:` does.
private func ends(_ word: Substring, like form: String) -> Bool {
    let suffix = form.split(separator: "*", omittingEmptySubsequences: false).last ?? ""
    return word.hasSuffix(suffix)
}

private func joined(_ one: String, _ other: String) -> String {
    other.isEmpty ? one : "\(one) \(other)"
}
