// Help, made from the table of verbs.

internal import MAMModel
internal import MAMWire

/// What `mamctl help` prints.
var overview: String {
    let rows = verbs.map { ["  mamctl \($0.name)", $0.summary] }
    return """
        mamctl \(productVersion): managed workspaces, whose files belong to an organisation or to you

        \(table(rows))

        mamctl VERB --help tells more. All verbs take --json.

        Exit status:
        \(table(ExitStatus.allCases.map { ["  \($0.rawValue)", $0.meaning] }))
        """
}

extension Verb {
    /// What `mamctl VERB --help` prints.
    var help: String {
        let options = (options + [.json, Option(name: "help", short: "h", help: "print this")])
            .map { ["  \($0.usage)", $0.help] }
        let statuses = statuses.map { ["  \($0.rawValue)", $0.meaning] }
        return """
            mamctl \(name) \(usage)

            \(summary)

            Options:
            \(table(options))

            Examples:
            \(examples.map { "  \($0)" }.joined(separator: "\n"))

            Exit status:
            \(table(statuses))
            """
    }
}

/// `help [VERB]`.
func help(_ invocation: Invocation) throws -> ExitStatus {
    if invocation.isJSON {
        printJSON(.array(verbs.map { ["name": .string($0.name), "summary": .string($0.summary)] }))
    } else if invocation.operands.isEmpty {
        printOut(overview)
    } else {
        printOut(try Verb.find(in: invocation.operands).0.help)
    }
    return .success
}

/// `version`.
func version(_ invocation: Invocation) -> ExitStatus {
    if invocation.isJSON {
        printJSON(["version": .string(productVersion)])
    } else {
        printOut("mamctl \(productVersion)")
    }
    return .success
}
