// An entry of the table of verbs, for help, the parser and the dispatcher.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Option {
    static func output(_ help: Message) -> Option {
        Option("output", short: "o", value: "OUT", help)
    }

    static let confirm = Option(
        "confirm", value: "ACCOUNT", "confirm without a terminal, with the account's name")
    static let unmanaged = Option(
        "unmanaged", "allow a UPN that is not a registered account; its files are plain")
    static let override = Option(
        "override", value: "REASON",
        "as root, on root's daemon: act against the owner's policy; REASON is audited")
    static let deviceCode = Option(
        "device-code", "sign in on another device, if the settings allow it")
    static let noBrowser = Option(
        "no-browser", "print the address to sign in at, and open no browser")
    static let workspace = Option(
        "workspace", value: "NAME", "the workspace to use, if several are mounted")
    static let passfile = Option(
        "passfile", value: "FILE", "read the passphrase from FILE, which has one line")
    static let noPassphrase = Option("no-passphrase", "protect the keys with this device only")
    static let newPassfile = Option(
        "new-passfile", value: "FILE", "read the new passphrase from FILE")
    static let newExtpass = Option(
        "new-extpass", value: "CMD", "read the new passphrase from a command")
    static let extpass = Option(
        "extpass", value: "CMD", "read it from a command; repeat for its arguments")
}

/// A verb, with its options and examples. Each start looks through all names; the rest is made for
/// the verb that it finds, and for help.
struct Verb: Sendable {
    let name: String
    /// The verb that this is an alias of; help lists that one.
    let alias: String?
    /// Whether the operands are the command line of another program.
    let takesCommand: Bool
    let run: @Sendable (Invocation) throws -> ExitStatus
    private let makeSummary: @Sendable () -> Message
    private let makeUsage: @Sendable () -> [Term]
    private let makeOptions: @Sendable () -> [Option]
    private let makeExamples: @Sendable () -> [String]
    private let makeStatuses: @Sendable () -> [ExitStatus]

    init(
        name: String, alias: String? = nil,
        summary: @autoclosure @escaping @Sendable () -> Message,
        usage: @autoclosure @escaping @Sendable () -> [Term] = [],
        options: @autoclosure @escaping @Sendable () -> [Option] = [], takesCommand: Bool = false,
        examples: @autoclosure @escaping @Sendable () -> [String],
        statuses: @autoclosure @escaping @Sendable () -> [ExitStatus],
        run: @escaping @Sendable (Invocation) throws -> ExitStatus
    ) {
        (self.name, self.alias, self.takesCommand, self.run) = (name, alias, takesCommand, run)
        (makeSummary, makeUsage, makeOptions) = (summary, usage, options)
        (makeExamples, makeStatuses) = (examples, statuses)
    }

    var summary: Message { makeSummary() }
    var usage: [Term] { makeUsage() }
    var options: [Option] { makeOptions() }
    var examples: [String] { makeExamples() }
    var statuses: [ExitStatus] { makeStatuses() }
}

extension Verb {
    var syntax: Syntax { Syntax(usage, options: options + [.json], takesCommand: takesCommand) }

    /// Its own options, and those of every verb.
    var allOptions: [Option] { options + [.json, .help] }
}

/// A verb with its parsed arguments.
struct Invocation: Sendable {
    let verb: Verb
    let arguments: Arguments

    var isJSON: Bool { arguments.has(.json) }
    var operands: [ByteString] { arguments.operands }

    /// What is wrong with its command line.
    func misuse(_ message: Message) -> Failure { .usage(verb, message) }

    /// Prints what the verb has found or done, in the form that was asked for.
    @discardableResult
    func answer(
        _ json: @autoclosure () throws -> JSONValue, words: @autoclosure () throws -> Message
    ) rethrows -> ExitStatus {
        if isJSON { printJSON(try json()) } else { printOut(try words()) }
        return .success
    }
}
