// Dispatches the command line to a verb; turns failures into messages and exit statuses.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// Finds the verb, parses its arguments and runs it; returns the process's exit status.
func runProgram(_ words: [ByteString]) -> Int32 {
    let status = runAndReport(words)
    guard let error = outputFailure else { return status }
    // A full disk, for example: incomplete output must not look like success.
    Failure(ByteString("standard output"), error).report(isJSON: false)
    return status == ExitStatus.success.rawValue ? ExitStatus.failure.rawValue : status
}

private func runAndReport(_ words: [ByteString]) -> Int32 {
    // Look for --json before parsing, so that parse errors are printed as JSON too.
    let options = words.prefix { $0.text != "--" }
    let isJSON = options.contains { $0.text == "--json" }
    do {
        return try run(words).rawValue
    } catch {
        let failure = Failure(any: error)
        failure.report(isJSON: isJSON)
        return failure.status.rawValue
    }
}

private func run(_ words: [ByteString]) throws -> ExitStatus {
    switch words.first?.text {
    case "-h", "--help": return showHelp(.all)
    case "-V", "--version": return try run([ByteString("version")] + words.dropFirst())
    case "complete": return complete(words.dropFirst())
    default: break
    }
    let named = try Named(words)
    switch named {
    case .all:
        printError(verbatim: shortOverview(width: screenWidth(of: STDERR_FILENO)))
        return .usage
    case .verb(let verb, let rest):
        if asksForHelp(rest, verb) { return showHelp(named) }
        try refuseUnusablePlaces()
        return try verb.run(try verb.parsed(rest))
    case .group(let name, let rest):
        if asksForHelp(rest, nil) { return showHelp(named) }
        printError(verbatim: named.help(width: screenWidth(of: STDERR_FILENO)))
        throw Failure(.usage, "'\(name)' needs a subcommand", next: "mamctl help \(name)")
    }
}

private func refuseUnusablePlaces() throws(Failure) {
    guard let name = Places.unusableVariable else { return }
    throw Failure(
        .usage, Places.reason(against: name),
        next: name == "HOME"
            ? "set XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR to other directories"
            : "set \(name) to another directory")
}

private func showHelp(_ named: Named) -> ExitStatus {
    printOut(verbatim: named.help(width: screenWidth(of: STDOUT_FILENO)))
    return .success
}

/// `--help` before any `--`, and for a verb that takes a command, before the command.
private func asksForHelp(_ words: ArraySlice<ByteString>, _ verb: Verb?) -> Bool {
    for word in words {
        if word.text == "--" { return false }
        if word.text == "--help" || word.text == "-h" { return true }
        if verb?.takesCommand ?? false, word.bytes.first != UInt8(ascii: "-") { return false }
    }
    return false
}
