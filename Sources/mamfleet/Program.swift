// Dispatches the command line to a verb.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func runProgram(_ given: [ByteString]) -> ExitStatus {
    let words = given.map(\.wireText)
    switch words.first {
    case "--version":
        printOut("mamfleet \(productVersion)")
        return .success
    case "-h", "--help":
        printOut(Arguments.usage)
        return .success
    default: break
    }
    do throws(Failure) {
        try refuseWhatIsNoText(given)
        return try run(try Arguments(words))
    } catch {
        error.report(isJSON: words.contains("--json"))
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

private func run(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    switch arguments.verb {
    case .run: try runService(arguments)
    case .join: try join(arguments)
    case .engine: try prepareEngine(arguments)
    case .push: try push(arguments)
    case .pull: try pull(arguments)
    }
}
