// What a verb is: all that help, parsing and running need, in one row of a table.

internal import MAMSystem
internal import MAMWire

/// An option of a verb.
struct Option: Sendable {
    let name: String
    var short: String?
    /// What stands for the value in help; nil for an option without one.
    var value: String?
    /// All values that there are, where they can be told.
    var choices: [String] = []
    /// Values that shells offer; there are others.
    var known: [String] = []
    let help: String

    var usage: String {
        let names = (short.map { "-\($0), " } ?? "") + "--\(name)"
        return value.map { "\(names) \($0)" } ?? names
    }

    static let json = Option(name: "json", help: "print JSON, errors too")
    static let help = Option(name: "help", short: "h", help: "print this")
    static func output(_ help: String) -> Option {
        Option(name: "output", short: "o", value: "OUT", help: help)
    }

    static let confirm = Option(
        name: "confirm", value: "ACCOUNT",
        help: "without a terminal: the account's name, which is typed at one")
    static let unmanaged = Option(
        name: "unmanaged", help: "UPN may be no registered account: what is its is plain")
    static let workspace = Option(
        name: "workspace", value: "NAME", help: "the workspace to talk to, when several run")
    static let passfile = Option(
        name: "passfile", value: "FILE", help: "read the passphrase from the one line of FILE")
    static let extpass = Option(
        name: "extpass", value: "CMD", help: "read it from a command; repeat for its arguments")
}

/// One row of the table of verbs.
struct Verb: Sendable {
    let name: String
    /// The verb that does the same, by the same code, and that help shows.
    var alias: String?
    let summary: String
    /// Operands and the options that are often used, after the name.
    let usage: String
    var operands: ClosedRange<Int> = 0...0
    var options: [Option] = []
    /// The first operand and all after it are somebody else's command line.
    var takesCommand = false
    /// All first operands that there are, where they can be told.
    var choices: [String] = []
    let examples: [String]
    let statuses: [ExitStatus]
    let run: @Sendable (Invocation) throws -> ExitStatus
}

extension Verb {
    /// What help calls the operands that must be there.
    var operandNames: [String] {
        var isValue = false
        let names = usageParts.filter { part in
            defer { isValue = part.hasPrefix("-") && part != "--" && !part.contains("=") }
            return !part.hasPrefix("-") && !part.hasPrefix("[") && !isValue
        }
        // Such as a word of a list of choices, which has no name of its own.
        let more = max(0, operands.lowerBound - names.count)
        return names.prefix(operands.lowerBound) + Array(repeating: "an operand", count: more)
    }
}

/// A verb with its parsed arguments.
struct Invocation {
    let verb: Verb
    let arguments: Arguments

    var isJSON: Bool { arguments.has(.json) }
    var operands: [ByteString] { arguments.operands }
}
