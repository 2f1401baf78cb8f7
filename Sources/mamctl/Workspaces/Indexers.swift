// Desktops' indexers stay out of a mount: they would keep the text of its files in a database of
// their own, in plain, which no lock reaches.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem

/// Before the mount, so that they do not see it. Without a session nobody indexes for it.
func keepIndexersOut(of mountPoint: ByteString) {
    // Their settings take no other names.
    guard hasSessionBus, let text = mountPoint.text else { return }
    tellTracker(text)
    for program in ["balooctl6", "balooctl"] {
        let words = [program, "config", "add", "excludeFolders"].map { ByteString($0) }
        if output(of: words + [mountPoint]) != nil { return }
    }
}

/// Tracker's, which GNOME has. Its `.nomedia` would not count in a folder that it is told to index,
/// such as Documents.
private func tellTracker(_ mountPoint: String) {
    let setting = ["org.freedesktop.Tracker3.Miner.Files", "ignored-directories"]
    func ignored() -> String? {
        output(of: ["gsettings", "get"] + setting).map { String(decoding: $0, as: UTF8.self) }
    }
    let path = variant(mountPoint)
    guard let before = ignored(), !before.contains(path) else { return }
    // An empty array is `@as []`.
    guard let begin = before.firstIndex(of: "["), let end = before.lastIndex(of: "]")
    else { return }
    let names = before[before.index(after: begin)..<end]
    let all = names.isEmpty ? path : "\(names), \(path)"
    _ = output(of: ["gsettings", "set"] + setting + ["[\(all)]"])
    guard ignored()?.contains(path) != true else { return }
    printError(
        "mamctl: the indexer of this desktop will keep the text of files in \(mountPoint):"
            + " add it to \(setting[1]) of \(setting[0])")
}

private var hasSessionBus: Bool {
    if getenv("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
    guard let runtime = getenv("XDG_RUNTIME_DIR") else { return false }
    return access("\(String(cString: runtime))/bus", F_OK) == 0
}

/// As GVariant's text form has strings.
private func variant(_ text: String) -> String {
    let quote = text.contains("'") ? "\"" : "'"
    let escaped = text.map { "\\\(quote)".contains($0) ? "\\\($0)" : String($0) }
    return quote + escaped.joined() + quote
}
