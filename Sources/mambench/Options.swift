// The arguments.

import MAMModel

/// What to do with the figures.
struct Options {
    enum Use {
        case table
        case json
        case check(String)
        case update(String)
        case help
        case underCallgrind
    }

    static let underCallgrind = "--under-callgrind"
    static let usage = """
        usage: mambench [--instructions] [--json | --check FILE | --update FILE]
        mambench \(productVersion) counts and times what the inner parts cost.
          --instructions   those too, under valgrind
          --check FILE     fails if a count is above its budget; times are only shown
          --update FILE    writes the figures, with instructions, as the new budgets
        """

    var use = Use.table
    var wantsInstructions = false

    /// A check shows times, and decides nothing by them.
    var roundCount: Int { if case .check = use { 3 } else { 9 } }

    /// Nil for arguments that are none.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--instructions": wantsInstructions = true
            case "--json": use = .json
            case "--help", "-h": use = .help
            case Self.underCallgrind: use = .underCallgrind
            case "--check", "--update":
                guard let file = rest.popFirst() else { return nil }
                use = argument == "--check" ? .check(file) : .update(file)
                if argument == "--update" { wantsInstructions = true }
            default: return nil
            }
        }
    }
}
