// The command line.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A verb with its options and operands.
struct Arguments {
    let verb: Verb
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]

    enum Verb: String, CaseIterable {
        case run, join, engine, push, pull

        /// Options with a value, and without.
        var options: (valued: [String], plain: [String]) {
            switch self {
            case .run: (["socket", "state", "directory", "interval"], [])
            case .join: (["socket", "state", "workspace", "wait"], ["json"])
            case .engine, .push: ([], ["json"])
            case .pull: ([], ["json", "follow"])
            }
        }

        var operandCount: ClosedRange<Int> { self == .run ? 1...1 : 0...1 }
    }

    static let usage = """
        Usage: mamfleet run WORKSPACE [--socket PATH] [--state DIR] [--directory DIR]
                                      [--interval SECONDS]
               mamfleet join CODE|- [--workspace NAME] [--socket PATH] [--state DIR]
                                    [--wait SECONDS] [--json]
               mamfleet engine [ORG] [--json]
               mamfleet push [ORG] [--json]
               mamfleet pull [ORG] [--follow] [--json]

        Carries what an organisation has signed to its machines, and their reports back. People
        use `mamctl fleet`, and systemd starts `mamfleet run`.

          --socket PATH      the daemon's socket
          --state DIR        where the machine's enrolment is
          --directory DIR    also take documents from there, a stick's or a share's
          --interval SECONDS of looking at the organisation's web server; 900
          --wait SECONDS     for the administrator's answer; 30
          --follow           go on until interrupted
          --json             print JSON
          --version          print the version
          -h, --help         print this
        """

    init(_ words: [String]) throws(Failure) {
        guard let first = words.first else { throw Self.wrong("a verb is needed") }
        guard let verb = Verb(rawValue: first) else { throw Self.wrong("unknown verb '\(first)'") }
        self.verb = verb
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                operands.append(word)
                continue
            }
            let parts = word.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if verb.options.plain.contains(name), parts.count == 1 {
                values[name] = ""
            } else if verb.options.valued.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw Self.wrong("--\(name) needs a value")
                }
                values[name] = value
            } else {
                throw Self.wrong("\(verb): unknown option '\(word)'")
            }
        }
        guard verb.operandCount.contains(operands.count) else {
            let words = operands.isEmpty ? "an operand is missing" : "there are too many operands"
            throw Self.wrong("\(verb): \(words)")
        }
    }

    static func wrong(_ message: String) -> Failure {
        Failure(.usage, message, next: "mamfleet --help")
    }

    func has(_ name: String) -> Bool { values[name] != nil }
    func value(_ name: String) -> String? { values[name] }

    func seconds(_ name: String) throws(Failure) -> Int? {
        guard let text = values[name] else { return nil }
        guard let number = Int(text), (1...86_400).contains(number) else {
            throw Self.wrong("--\(name) must be a number from 1 to 86400")
        }
        return number
    }

    /// The operand of `run`.
    func workspace() throws(Failure) -> WorkspaceName {
        try Self.workspace(named: operands[0])
    }

    static func workspace(named text: String) throws(Failure) -> WorkspaceName {
        guard let name = WorkspaceName(text) else {
            throw wrong("'\(text)' is not a valid workspace name")
        }
        return name
    }
}
