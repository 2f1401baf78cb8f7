// The command line. People use mamctl, which has the help and the manual.

import Glibc
import MAMCommandLine
import MAMModel
import MAMSystem
import MAMWire

private let syntax = Syntax(
    [["TASK"]],
    options: ["socket", "account", "oid", "into"].map { Option($0, value: "") }
        + [Option("device-code"), Option("no-browser")])

extension Arguments {
    fileprivate init(_ words: [ByteString]) throws(Failure) {
        do throws(Misuse) {
            try self.init(words[...], syntax)
            try checkOperands(syntax)
        } catch {
            switch error {
            case .unknownOption(let word), .unwantedValue(_, let word), .extraOperand(let word):
                throw Failure(
                    .usage, "the argument '\(word.shown)' is not known, or has no value")
            case .noValue(let word, _):
                throw Failure(.usage, "the argument '\(word)' is not known, or has no value")
            case .tooFewOperands: throw Failure(.usage, "mamctl account login signs in")
            }
        }
    }

    func required(_ name: String) throws(Failure) -> String {
        guard let value = try text(name) else { throw Failure(.usage, "--\(name) is missing") }
        return value
    }
}

func runProgram(_ words: [ByteString]) -> ExitStatus {
    do throws(Failure) {
        if words.first?.text == "--version" {
            printOut("mamd-signin \(productVersion)")
            return .success
        }
        let arguments = try Arguments(words)
        var daemon = try Daemon(at: try arguments.required("socket"))
        switch arguments.operands.first?.text {
        case "login": try login(arguments, &daemon)
        case "refresh": try refresh(arguments, &daemon)
        case "keys": try fetchKeys(arguments, &daemon)
        default: throw Failure(.usage, "mamctl account login signs in")
        }
        return .success
    } catch {
        // For mamctl, which tells it.
        printJSON(["error": .string(error.message.english)], onOneLine: true)
        return error.status
    }
}

/// What the issuer wrote, on one line of a terminal.
func shown(_ text: String) -> String { ByteString(String(text.prefix(300))).shown }
