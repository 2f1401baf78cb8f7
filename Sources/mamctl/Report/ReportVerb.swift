// `report`: the content and state of the workspace, as HTML or JSON; `--me` for a person.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func report(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.arguments.has("me") { return try reportOnCaller(invocation) }
    let path = invocation.arguments.value("html")
    guard path != nil || invocation.isJSON else {
        throw invocation.misuse("choose an output: --html FILE, --json or --me")
    }
    let days = try invocation.days()
    // Open the output first, to fail early if it cannot be written.
    let file = try path.map { path throws(Failure) in
        try NewFile(for: path, replacing: invocation.arguments.has("force"))
    }
    let data = try ReportData(of: try invocation.daemon(), days: days)
    if let file { try write(ReportPage(data).html, to: file) }
    if invocation.isJSON {
        printJSON(data.json)
    } else if let path {
        printOut("\(path.shown): \(data.total.files.counted("file")) of '\(data.status.name)'")
    }
    return .success
}

extension Invocation {
    fileprivate func days() throws -> Int {
        guard let text = try arguments.text("days") else { return 7 }
        guard let days = Int(text), (1...90).contains(days) else {
            throw Failure.usage(verb, "--days must be 1 to 90, not '\(text)'")
        }
        return days
    }
}

/// Writes the page atomically, with mode 0600: it names accounts and files.
func write(_ text: String, to file: NewFile) throws {
    try file.write(Array(text.utf8))
    try file.finish(mode: 0o600)
}
