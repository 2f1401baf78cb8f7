// Command line options.

import MAMCrypto
import MAMModel

/// The parsed command line.
struct Options {
    enum Use {
        case table
        case json
        case check(String)
        case update(String)
        case help
        case ciphers
        case underCallgrind
    }

    static let underCallgrind = "--under-callgrind"
    static let usage = """
        usage: mambench [--cipher NAME] [--instructions] [--json | --check FILE | --update FILE]
        mambench \(productVersion) counts and times what the inner parts cost.
          --cipher NAME    seal with openssl, avx or vaes, not with the one that suits the processor
          --ciphers        print those that this processor can have, one a line
          --instructions   count those too, under valgrind
          --check FILE     fail if a count is above that cipher's budget; times are only shown
          --update FILE    write the figures, with instructions, as that cipher's new budgets
        """

    var use = Use.table
    var wantsInstructions = false
    /// Nil: the best one for the processor.
    var cipher: GCMLibrary?

    /// A check only prints times and never fails because of them: one round does, and a small table
    /// of inodes, whose hash tables are as full as those of the large one.
    var roundCount: Int { isCheck ? 1 : 9 }
    var inodeCount: Int { isCheck ? 12_500 : 100_000 }
    private var isCheck: Bool { if case .check = use { true } else { false } }

    /// Nil for invalid arguments.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--instructions": wantsInstructions = true
            case "--json": use = .json
            case "--ciphers": use = .ciphers
            case "--cipher":
                guard let cipher = rest.popFirst().flatMap(GCMLibrary.init) else { return nil }
                self.cipher = cipher
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
