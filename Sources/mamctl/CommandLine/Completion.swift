// `mamctl complete -- WORD…`, which the shells' scripts ask: each line is what the last word may
// be, a tab, and what that means. Lines that begin with a colon say what the shell itself
// completes: `:files`, `:commands`, or `:command N`, another program's words after N of ours.

internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

func complete(_ words: ArraySlice<ByteString>) -> ExitStatus {
    let words = words.first?.text == "--" ? words.dropFirst() : words
    for (word, meaning) in candidates(for: words.last?.shown ?? "", after: words.dropLast()) {
        printOut(verbatim: "\(word)\t\(meaning.translated.onOneLine)")
    }
    return .success
}

private typealias Candidate = (word: String, meaning: Message)

private func candidates(for word: String, after before: ArraySlice<ByteString>) -> [Candidate] {
    switch try? Named(Array(before)) {
    case .all: firstWords
    case .group(let name, let rest): rest.isEmpty ? secondWords(of: name) : []
    case .verb(let verb, let rest):
        (rest.isEmpty ? secondWords(of: verb.name) : []) + verb.candidates(for: word, after: rest)
    case nil: []
    }
}

/// Aliases are left out.
private var firstWords: [Candidate] {
    var words: [Candidate] = []
    for verb in verbs where verb.alias == nil {
        let first = String(verb.name.prefix { $0 != " " })
        if words.contains(where: { $0.word == first }) { continue }
        let group = secondWords(of: first).map(\.word).joined(separator: ", ")
        words.append((first, verb.name == first ? verb.summary : .verbatim(group)))
    }
    return words
}

private func secondWords(of name: String) -> [Candidate] {
    Verb.group(name).map { (String($0.name.dropFirst(name.count + 1)), $0.summary) }
}

extension Verb {
    fileprivate func candidates(
        for word: String, after rest: ArraySlice<ByteString>
    ) -> [Candidate] {
        let syntax = Syntax(usage, options: allOptions, takesCommand: takesCommand)
        do throws(Misuse) {
            let arguments = try Arguments(rest, syntax)
            let end = rest.firstIndex { $0.text == "--" }
            if takesCommand, end != nil || !arguments.operands.isEmpty {
                let count = end.map { $0 + 1 } ?? rest.endIndex - arguments.operands.count
                return [(":command \(count + 1)", "")]
            }
            if word.hasPrefix("-"), end == nil { return candidates(forOption: word, arguments) }
            guard let operand = syntax.operand(after: arguments.operands.count) else { return [] }
            return Values(of: operand).candidates(Invocation(verb: self, arguments: arguments))
        } catch {
            guard case .noValue(_, let option) = error,
                let arguments = try? Arguments(rest.dropLast(), syntax)
            else { return [] }
            return Values(of: option).candidates(Invocation(verb: self, arguments: arguments))
        }
    }

    private func candidates(forOption word: String, _ arguments: Arguments) -> [Candidate] {
        guard let sign = word.firstIndex(of: "=") else {
            return allOptions.flatMap { option in option.flags.map { ($0, option.help) } }
        }
        guard let option = allOptions.first(where: { $0.flags.contains(String(word[..<sign])) })
        else { return [] }
        return Values(of: option).candidates(Invocation(verb: self, arguments: arguments)).map {
            $0.word.hasPrefix(":") ? $0 : ("\(word[...sign])\($0.word)", $0.meaning)
        }
    }
}

/// What an operand or an option's value may be.
private enum Values {
    case accounts, workspaces, mounts, verbs
    case shell(String)
    case words([String])

    init(of option: Option) {
        let words = option.choices.isEmpty ? option.known : option.choices
        self =
            option.name == Option.workspace.name
            ? .workspaces : words.isEmpty ? Self(named: option.value ?? "") : .words(words)
    }

    init(of operand: Operand) {
        self =
            switch operand.name {
            case "OLD", "NAME": .workspaces
            case "MOUNTPOINT": .mounts
            default:
                operand.choices.isEmpty ? Self(named: operand.name) : .words(operand.choices)
            }
    }

    /// By the name in help.
    private init(named name: String) {
        self =
            switch name.prefix(while: { $0.isUppercase }) {
            case "FILE", "PATH", "OUT", "LIST", "BACKING", "MOUNTPOINT", "PROGRAM", "DIR", "SRC",
                "DST", "DEST", "DOCUMENT", "CODE", "ROOT":
                .shell(":files")
            case "CMD", "COMMAND": .shell(":commands")
            case "UPN", "ACCOUNT": .accounts
            case "VERB": .verbs
            default: .words([])
            }
    }

    func candidates(_ invocation: Invocation) -> [Candidate] {
        switch self {
        case .shell(let line): return [(line, "")]
        case .words(let words): return words.map { ($0, "") }
        case .verbs: return invocation.operands.first?.text.map(secondWords) ?? firstWords
        case .accounts:
            let daemons = (try? invocation.daemons()) ?? []
            return daemons.flatMap { daemon -> [Candidate] in
                let found = try? daemon.call(Varlink.Workspace.ListAccounts()).accounts
                return (found ?? []).map { ($0.name, Message.verbatim(daemon.name.description)) }
            }
        case .workspaces:
            let running = runningDaemons().map(\.name.description)
            let others = Places.current.unmountedWorkspaces(except: running)
            return (running + others.map(\.name.description)).map { ($0, "") }
        case .mounts:
            let mounts = runningDaemons().compactMap { try? $0.status() }.map {
                ($0.mountPoint, Message.verbatim($0.name))
            }
            return mounts.filter { !$0.0.isEmpty } + [(":files", "")]
        }
    }
}
