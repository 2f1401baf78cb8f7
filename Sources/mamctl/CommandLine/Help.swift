// Help, generated from the table of verbs.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMWire
internal import MAMWords

/// The verbs that a new user needs, in order.
private let firstSteps = ["setup", "init", "mount", "account register", "status", "lock"]

/// What `mamctl help` prints.
func overview(width: Int) -> String {
    let steps = firstSteps.compactMap { name in verbs.first { $0.name == name } }
    let chapters = chapters.filter { !$0.verbs.isEmpty }
        .map {
            heading($0.title) + "\n"
                + summaries(of: $0.verbs.filter { $0.alias == nil }, width: width)
        }
    let title: Message =
        "mamctl \(productVersion): workspaces for files of an organisation and of your own"
    return """
        \(wrapped(words(of: title), width: width))

        \(heading("First steps"))
        \(steps.map { "  \($0.examples[0])" }.joined(separator: "\n"))

        \(chapters.joined(separator: "\n\n"))

        \(("mamctl VERB --help tells more. All verbs take --json." as Message).translated)

        \(heading("Exit status"))
        \(table(ExitStatus.allCases.map { $0.row }, width: width))
        """
}

/// What `mamctl GROUP` prints: the verbs that begin with this word.
func overview(of group: String, width: Int) -> String {
    """
    mamctl \(group) …

    \(summaries(of: Verb.group(group), width: width))

    \(("mamctl \(group) VERB --help tells more." as Message).translated)
    """
}

private func heading(_ title: Message) -> String { "\(title.translated):" }

extension ExitStatus {
    fileprivate var row: [Message] { ["  \(rawValue)", meaning] }
}

private func summaries(of verbs: [Verb], width: Int) -> String {
    table(verbs.map { ["  \($0.name)", $0.summary] }, width: width)
}

/// The verbs of daily use.
private let dailyVerbs = [
    "mount", "unmount", "status", "unlock", "lock", "owner", "protect", "encrypt", "decrypt",
    "verify",
]

/// What bare `mamctl` prints.
func shortOverview(width: Int) -> String {
    let daily = dailyVerbs.compactMap { name in verbs.first { $0.name == name } }
    let end: Message = "The first time: mamctl setup. All verbs: mamctl help."
    return """
        \(summaries(of: daily, width: width))

        \(wrapped(words(of: end), width: width))
        """
}

extension Verb {
    /// What `mamctl VERB --help` prints.
    func help(width: Int) -> String {
        let more = Verb.group(name)
        let parts: [String?] = [
            wrapped(syntax.usageParts, after: "mamctl \(name) ", hanging: 4, width: width),
            wrapped(words(of: summary), width: width),
            otherNames.map { wrapped(words(of: $0), width: width) },
            heading("Options") + "\n"
                + table(allOptions.map { ["  \($0.usage)", $0.help] }, width: width),
            heading("Examples") + "\n" + examples.map { "  \($0)" }.joined(separator: "\n"),
            heading("Exit status") + "\n"
                + table(statuses.map { $0.row }, width: width),
            more.isEmpty ? nil : "\(heading("More"))\n\(summaries(of: more, width: width))",
        ]
        return parts.compactMap(\.self).joined(separator: "\n\n")
    }

    /// The verb's aliases, or the verb that it is an alias of.
    private var otherNames: Message? {
        if let alias { return "Alias of: mamctl \(alias)" }
        let names = verbs.filter { $0.alias == name }.map { "mamctl \($0.name)" }
        return names.isEmpty ? nil : "Aliases: \(names.joined(separator: ", "))"
    }

    var json: JSONValue {
        let operands = syntax.operandCount
        return [
            "name": .string(name), "aliasOf": JSONValue(alias),
            "group": JSONValue(
                chapters.first { $0.verbs.contains { $0.name == name } }?.title.english),
            "summary": .string(summary.english), "usage": .string(syntax.usage),
            "operands": [
                "minimum": JSONValue(operands.lowerBound),
                "maximum": operands.upperBound == .max ? .null : JSONValue(operands.upperBound),
            ],
            "options": .array(allOptions.map(\.json)),
            "examples": .array(examples.map { .string($0) }),
            "statuses": .array(
                statuses.map {
                    ["status": JSONValue($0.rawValue), "meaning": .string($0.meaning.english)]
                }),
        ]
    }
}

/// `help [VERB | GROUP]`.
func help(_ invocation: Invocation) throws -> ExitStatus {
    let named = try Named(invocation.operands)
    return invocation.answer(
        .array(named.verbs.map(\.json)),
        words: .verbatim(named.help(width: screenWidth(of: STDOUT_FILENO))))
}

/// `version`.
func version(_ invocation: Invocation) -> ExitStatus {
    return invocation.answer(
        ["version": .string(productVersion)], words: "mamctl \(productVersion)")
}
