// What may stand on a command line: a program's, or a verb's after its name.

package import MAMModel

/// An option.
package struct Option: Sendable {
    package let name: String
    package let short: String?
    /// The value's name in help; nil for an option without a value.
    package let value: String?
    /// All values, if the set is closed.
    package let choices: [String]
    /// Values that completion offers; others are allowed.
    package let known: [String]
    /// Whether each of several values counts.
    let repeats: Bool
    package let help: Message

    package init(
        _ name: String, short: String? = nil, value: String? = nil, choices: [String] = [],
        known: [String] = [], repeats: Bool = false, _ help: Message = ""
    ) {
        (self.name, self.short, self.value) = (name, short, value)
        (self.choices, self.known) = (choices, known)
        (self.repeats, self.help) = (repeats, help)
    }

    /// `-o`, `--output`.
    package var flags: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] }

    /// As a table of options has it.
    package var usage: String {
        let names = flags.joined(separator: ", ")
        return value.map { "\(names) \($0)" } ?? names
    }

    package var json: JSONValue {
        [
            "name": .string(name), "short": JSONValue(short), "value": JSONValue(value),
            "choices": .array(choices.map { .string($0) }), "help": .string(help.english),
        ]
    }

    package static let json = Option("json", "print JSON, errors included")
    package static let help = Option("help", short: "h", "print this help")
}

package struct Syntax: Sendable {
    /// The usage line, which has the operands and the common options.
    let terms: [Term]
    package let options: [Option]
    /// Whether the operands are the command line of another program: its options are its own.
    package let takesCommand: Bool

    package init(
        _ terms: [Term] = [], options: [Option], takesCommand: Bool = false
    ) {
        (self.terms, self.options, self.takesCommand) = (terms, options, takesCommand)
    }
}
