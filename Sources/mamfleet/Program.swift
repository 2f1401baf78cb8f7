// Dispatches the command line to a verb.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func runProgram(_ words: [String]) -> ExitStatus {
    switch words.first {
    case "--version":
        printOut("mamfleet \(productVersion)")
        return .success
    case "-h", "--help":
        printOut(Arguments.usage)
        return .success
    default: break
    }
    do throws(Failure) { return try run(try Arguments(words)) } catch {
        error.report(isJSON: words.contains("--json"))
        return error.status
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
