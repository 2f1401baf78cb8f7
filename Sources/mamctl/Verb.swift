// What a verb is: all that help, parsing and running need, in one row of a table.

internal import MAMSystem
internal import MAMWire

/// An option of a verb.
struct Option: Sendable {
    let name: String
    var short: String?
    /// What stands for the value in help; nil for an option without one.
    var value: String?
    let help: String

    var usage: String {
        let names = (short.map { "-\($0), " } ?? "") + "--\(name)"
        return value.map { "\(names) \($0)" } ?? names
    }

    static let json = Option(name: "json", help: "print JSON, errors too")
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
    let summary: String
    /// Operands and the options that are often used, after the name.
    let usage: String
    var operands: ClosedRange<Int> = 0...0
    var options: [Option] = []
    /// The first operand and all after it are somebody else's command line.
    var takesCommand = false
    let examples: [String]
    let statuses: [ExitStatus]
    let run: @Sendable (Invocation) throws -> ExitStatus
}

/// A verb with its parsed arguments.
struct Invocation {
    let verb: Verb
    let arguments: Arguments

    var isJSON: Bool { arguments.has(.json) }
    var operands: [ByteString] { arguments.operands }
}

extension Verb {
    /// The verb that the first words name, one or two, and the words after it.
    static func find(in words: [ByteString]) throws(Failure) -> (Verb, ArraySlice<ByteString>) {
        let names = words.prefix(2).map { $0.text ?? "" }
        for count in [2, 1] where names.count >= count {
            let name = names.prefix(count).joined(separator: " ")
            if let verb = verbs.first(where: { $0.name == name }) {
                return (verb, words.dropFirst(count))
            }
        }
        throw unknown(words, names)
    }

    private static func unknown(_ words: [ByteString], _ names: [String]) -> Failure {
        let group = verbs.filter { $0.name.hasPrefix("\(names.first ?? "") ") }.map(\.name)
        if names.count == 1, !group.isEmpty {
            return Failure(
                .usage, "'\(names[0])' needs one more word",
                next: group.map { "mamctl \($0)" }.joined(separator: ", "))
        }
        let shown = words.prefix(group.isEmpty ? 1 : 2).map(\.shown).joined(separator: " ")
        let guess = nearest(to: shown, in: verbs.map(\.name))
        return Failure(
            .usage, "there is no verb '\(shown)'" + (guess.map { "; did you mean '\($0)'?" } ?? ""),
            next: "mamctl help")
    }
}
