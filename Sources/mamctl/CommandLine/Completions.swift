// `completions`: shell completions, generated from the table of verbs.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What to complete at a position of the command line.
enum Completion: Equatable {
    case nothing
    case files
    case commands
    case accounts
    case workspaces
    case verbs
    case words([String])
}

extension Completion {
    /// Derived from the value's placeholder in the help.
    fileprivate init(placeholder: String) {
        switch placeholder.prefix(while: { $0.isUppercase }) {
        case "FILE", "PATH", "OUT", "LIST", "BACKING", "MOUNTPOINT", "PROGRAM", "DIR", "DIRECTORY":
            self = .files
        case "UPN", "ACCOUNT": self = .accounts
        case "CMD", "COMMAND": self = .commands
        case "VERB": self = .verbs
        default: self = .nothing
        }
    }
}

extension Option {
    /// Nil for an option without a value.
    var completion: Completion? {
        guard let value else { return nil }
        if !choices.isEmpty { return .words(choices) }
        if !known.isEmpty { return .words(known) }
        return name == Option.workspace.name ? .workspaces : Completion(placeholder: value)
    }
}

extension Verb {
    /// The completion of operands.
    var completion: Completion {
        // The command's own completion is each script's.
        guard !takesCommand, let operand = syntax.operand(after: 0) else { return .nothing }
        return operand.choices.isEmpty
            ? Completion(placeholder: operand.name) : .words(operand.choices)
    }
}

/// The first words of command lines, with summaries. Aliases are left out.
let firstWords: [(word: String, summary: String)] = {
    var words: [(String, String)] = []
    for verb in verbs where verb.alias == nil {
        let first = String(verb.name.prefix { $0 != " " })
        if words.contains(where: { $0.0 == first }) { continue }
        let isVerb = verb.name == first
        let group = Verb.group(first).map { $0.name.dropFirst(first.count + 1) }
        words.append((first, isVerb ? verb.summary.english : group.joined(separator: ", ")))
    }
    return words
}()

/// The first words of two-word verbs.
var groups: [String] {
    Set(verbs.map { String($0.name.prefix { $0 != " " }) }).filter { !Verb.group($0).isEmpty }
        .sorted()
}

/// Shell commands that list accounts and workspaces. They rely on our JSON having each name on a
/// line of its own.
let completionQueries = (
    accounts:
        #"mamctl account list --json 2>/dev/null | sed -n 's/^    "name" : "\(.*\)",*$/\1/p'"#,
    workspaces: #"mamctl status --json 2>/dev/null | sed -n 's/^    "name" : "\(.*\)",*$/\1/p'"#
)

func printCompletions(_ invocation: Invocation) throws -> ExitStatus {
    switch invocation.operands[0].text {
    case "bash": printOut(verbatim: bashCompletions)
    case "zsh": printOut(verbatim: zshCompletions)
    default: printOut(verbatim: fishCompletions)
    }
    return .success
}
