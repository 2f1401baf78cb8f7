// Dispatches the command line to a verb.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

private let usage = """
    Usage: mamfleet run WORKSPACE [--socket PATH] [--state DIR] [--directory DIR]
                                  [--interval SECONDS]
           mamfleet join CODE|- [--workspace NAME] [--socket PATH] [--state DIR]
                                [--wait SECONDS] [--json]
           mamfleet engine [ORG] [--json]
           mamfleet push [ORG] [--json]
           mamfleet pull [ORG] [--follow] [--json]
           mamfleet sent [ORG] [--json]

    Carries what an organisation has signed to its machines, and their reports back. People
    use `mamctl fleet`, and systemd starts `mamfleet run`.

      --socket PATH      the daemon's socket
      --state DIR        where the machine's enrolment is
      --directory DIR    also take documents from there, a stick's or a share's
      --interval SECONDS of looking at the organisation's web server; 900
      --wait SECONDS     for the administrator's answer; 30
      --follow           go on until interrupted
      --json             print JSON
      --version          print the version
      -h, --help         print this
    """

func runProgram(_ words: [ByteString]) -> ExitStatus {
    switch words.first?.text {
    case "--version":
        printOut("mamfleet \(productVersion)")
        return .success
    case "-h", "--help":
        printOut(verbatim: usage)
        return .success
    default: break
    }
    do throws(Failure) {
        try refuseWhatIsNoText(words)
        return try run(words)
    } catch {
        error.report(by: "mamfleet", isJSON: words.contains { $0.text == "--json" })
        return error.status
    }
}

/// Paths are text here: others would be another directory or file.
private func refuseWhatIsNoText(_ words: [ByteString]) throws(Failure) {
    if let word = words.first(where: { $0.text == nil }) {
        throw Failure(.usage, "\(word.shown) is not UTF-8", next: "use another path")
    }
    if let name = Places.unusableVariable {
        throw Failure(.usage, "$\(name) is not UTF-8", next: "set it to another directory")
    }
}

private func run(_ words: [ByteString]) throws(Failure) -> ExitStatus {
    guard let first = words.first?.text else { throw .wrong("a verb is needed") }
    guard let verb = Verb(rawValue: first) else { throw .wrong("unknown verb '\(first)'") }
    let arguments = try verb.parsed(words.dropFirst())
    return switch verb {
    case .run: try runService(arguments)
    case .join: try join(arguments)
    case .engine: try prepareEngine(arguments)
    case .push: try push(arguments)
    case .pull: try pull(arguments)
    case .sent: try showSent(arguments)
    }
}
