// Resolves the first words of a command line to a verb of one or two words, or a group of verbs.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What a command line names.
enum Named {
    case all
    case verb(Verb, rest: ArraySlice<ByteString>)
    /// A first word of two-word verbs that is not a verb itself.
    case group(String, rest: ArraySlice<ByteString>)

    init(_ words: [ByteString]) throws(Failure) {
        let names = words.prefix(2).map { $0.text ?? "" }
        for count in [2, 1] where names.count >= count {
            let name = names.prefix(count).joined(separator: " ")
            if let verb = mamctl.verbs.first(where: { $0.name == name }) {
                self = .verb(verb, rest: words.dropFirst(count))
                return
            }
        }
        guard let first = words.first else {
            self = .all
            return
        }
        let isAlone = names.count == 1 || names[1].hasPrefix("-")
        guard isAlone, !Verb.group(names[0]).isEmpty else {
            throw .noVerb(first.shown, words.dropFirst().first?.shown)
        }
        self = .group(names[0], rest: words.dropFirst())
    }

    var verbs: [Verb] {
        switch self {
        case .all: mamctl.verbs
        case .verb(let verb, _): [verb]
        case .group(let name, _): Verb.group(name)
        }
    }

    func help(width: Int) -> String {
        switch self {
        case .all: overview(width: width)
        case .verb(let verb, _): verb.help(width: width)
        case .group(let name, _): overview(of: name, width: width)
        }
    }
}

extension Verb {
    /// The two-word verbs that start with `name`.
    static func group(_ name: String) -> [Verb] { verbs.filter { $0.name.hasPrefix("\(name) ") } }
}

extension Failure {
    fileprivate static func noVerb(_ first: String, _ second: String?) -> Failure {
        if mamctl.verbs.flatMap(\.allOptions).contains(where: { $0.flags.contains(first) }) {
            return Failure(
                .usage, "\(first) precedes the verb: options come after it",
                next: "mamctl VERB \(first)")
        }
        let isGroup = !Verb.group(first).isEmpty
        let shown = isGroup ? "\(first) \(second ?? "")" : first
        func usual(_ word: String) -> String { ["delete", "rm"].contains(word) ? "remove" : word }
        if let way = otherWays[isGroup ? "\(first) \(usual(second ?? ""))" : usual(first)] {
            return Failure(.usage, "there is no verb '\(shown)'", next: way)
        }
        let guesses = verbsNear(first, second)
        let about = guesses.count == 1 ? guesses[0] : isGroup ? first : nil
        return Failure(
            .usage, "there is no verb '\(shown)'\(didYouMean(guesses))",
            next: "mamctl help\(about.map { " \($0)" } ?? "")")
    }
}
