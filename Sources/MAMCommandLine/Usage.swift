// A usage line as data. Help prints it, the parser counts its operands, and completion offers them.

package struct Operand: Sendable {
    /// In help.
    package let name: String
    /// What may be in its place, such as `-` or an option.
    let other: String?
    let most: Int
    let isRequired: Bool
    /// All values, if the set is closed.
    package let choices: [String]

    package init(
        _ name: String, or other: String? = nil, most: Int = 1, isRequired: Bool = true,
        choices: [String] = []
    ) {
        (self.name, self.other, self.most) = (name, other, most)
        (self.isRequired, self.choices) = (isRequired, choices)
    }

    package var usage: String { other.map { "\(name)|\($0)" } ?? name }
}

/// A part of a usage line. A literal is an operand, or a flag of an option; an array of them is
/// optional.
package indirect enum Term: Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    case operand(Operand)
    /// With the value's name, if it is another than in the list of options.
    case option(String, String? = nil)
    case optional([Term])
    case choice([Term])
    case sequence([Term])

    package init(stringLiteral text: String) {
        self = text.hasPrefix("-") ? .option(text) : .operand(Operand(text))
    }

    package init(arrayLiteral terms: Term...) { self = .optional(terms) }

    package static func one(
        _ name: String, or other: String? = nil, of choices: [String] = [], isRequired: Bool = true
    ) -> Term {
        .operand(Operand(name, or: other, isRequired: isRequired, choices: choices))
    }

    package static func many(
        _ name: String, or other: String? = nil, most: Int = .max, isRequired: Bool = true
    ) -> Term {
        .operand(Operand("\(name)…", or: other, most: most, isRequired: isRequired))
    }

    package static func word(_ choices: String...) -> Term {
        .one(choices.joined(separator: "|"), of: choices)
    }

    /// One of them or none.
    package static func oneOf(_ terms: Term...) -> Term { .choice(terms) }
    package static func all(_ terms: Term...) -> Term { .sequence(terms) }
}

extension Term {
    /// In their order; within brackets none is required.
    fileprivate var operands: [Operand] {
        switch self {
        case .operand(let operand): [operand]
        case .option: []
        case .optional(let terms), .choice(let terms):
            terms.flatMap(\.operands).map {
                Operand(
                    $0.name, or: $0.other, most: $0.most, isRequired: false, choices: $0.choices)
            }
        case .sequence(let terms): terms.flatMap(\.operands)
        }
    }

    /// Text of a line, in parts that stay together.
    fileprivate func parts(_ options: [Option]) -> [String] {
        switch self {
        case .operand(let operand): return [operand.usage]
        case .option(let flag, let name):
            let option = options.first { $0.flags.contains(flag) }
            guard let option, let value = name ?? option.value else { return [flag] }
            return [flag, option.repeats ? "\(value)…" : value]
        case .sequence(let terms): return terms.flatMap { $0.parts(options) }
        case .choice(let terms):
            let alternatives = terms.map { $0.parts(options).joined(separator: " ") }
            return ["[\(alternatives.joined(separator: " | "))]"]
        case .optional(let terms):
            let text = terms.flatMap { $0.parts(options) }.joined(separator: " ")
            // What may be repeated is then all of it.
            return [
                text.hasSuffix("…") && terms[0].isOption ? "[\(text.dropLast())]…" : "[\(text)]"
            ]
        }
    }

    private var isOption: Bool { if case .option = self { true } else { false } }
}

extension Syntax {
    /// In their order.
    package var operands: [Operand] { terms.flatMap(\.operands) }
    package var requiredOperands: [Operand] { operands.filter(\.isRequired) }

    package var operandCount: ClosedRange<Int> {
        let most = operands.reduce(0) { $1.most == .max ? .max : $0 + $1.most }
        return requiredOperands.count...most
    }

    /// What the operand after so many others is.
    package func operand(after count: Int) -> Operand? {
        operandCount.upperBound > count ? operands[min(count, operands.count - 1)] : nil
    }

    package var usageParts: [String] { terms.flatMap { $0.parts(options) } }
    package var usage: String { usageParts.joined(separator: " ") }
}
