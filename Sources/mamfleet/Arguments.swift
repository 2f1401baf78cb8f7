// The command line.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

enum Verb: String {
    case run, join, engine, push, pull, sent

    var syntax: Syntax {
        switch self {
        case .run:
            Syntax(
                ["WORKSPACE"], options: Self.valued("socket", "state", "directory", "interval"))
        case .join:
            Syntax(
                [["CODE"]],
                options: Self.valued("socket", "state", "workspace", "wait") + [.json])
        case .engine, .push, .sent: Syntax([["ORG"]], options: [.json])
        case .pull: Syntax([["ORG"]], options: [.json, Option("follow")])
        }
    }

    private static func valued(_ names: String...) -> [Option] {
        names.map { Option($0, value: "") }
    }

    func parsed(_ words: ArraySlice<ByteString>) throws(Failure) -> Arguments {
        do throws(Misuse) {
            let arguments = try Arguments(words, syntax)
            try arguments.checkOperands(syntax)
            return arguments
        } catch {
            switch error {
            case .unknownOption(let word), .unwantedValue(_, let word):
                throw .wrong("\(self): unknown option '\(word.shown)'")
            case .noValue(let flag, _): throw .wrong("\(flag) needs a value")
            case .tooFewOperands: throw .wrong("\(self): an operand is missing")
            case .extraOperand: throw .wrong("\(self): there are too many operands")
            }
        }
    }
}

extension Failure {
    static func wrong(_ message: Message) -> Failure {
        Failure(.usage, message, next: "mamfleet --help")
    }
}

extension Arguments {
    /// Each word is text.
    func string(_ name: String) -> String? { value(name)?.wireText }

    func seconds(_ name: String) throws(Failure) -> Int? {
        guard let text = string(name) else { return nil }
        guard let number = Int(text), (1...86_400).contains(number) else {
            throw .wrong("--\(name) must be a number from 1 to 86400")
        }
        return number
    }

    /// The operand of `run`.
    func workspace() throws(Failure) -> WorkspaceName {
        try Self.workspace(named: operands[0].wireText)
    }

    static func workspace(named text: String) throws(Failure) -> WorkspaceName {
        guard let name = WorkspaceName(text) else {
            throw .wrong("'\(text)' is not a valid workspace name")
        }
        return name
    }
}
