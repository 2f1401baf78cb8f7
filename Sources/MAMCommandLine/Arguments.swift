// Options and operands, as they were written.

package import MAMModel
internal import MAMSystem
internal import MAMWire

/// What is wrong with a command line; each program has its words for it.
package enum Misuse: Error {
    case unknownOption(ByteString)
    /// The option as it was written.
    case noValue(String, Option)
    case unwantedValue(Option, ByteString)
    case tooFewOperands(Int)
    case extraOperand(ByteString)
}

package struct Arguments: Sendable {
    package private(set) var operands: [ByteString] = []
    private var values: [String: [ByteString]] = [:]

    /// `--name value`, `--name=value`, `-n value`; `--` ends the options.
    package init(_ words: ArraySlice<ByteString>, _ syntax: Syntax) throws(Misuse) {
        var rest = words
        while let word = rest.popFirst() {
            if word.text == "--" { break }
            if word.bytes.count > 1, word.bytes.first == UInt8(ascii: "-") {
                try take(word, &rest, syntax)
                continue
            }
            operands.append(word)
            if syntax.takesCommand { break }
        }
        operands += rest
    }

    package mutating func add(_ more: [ByteString]) { operands += more }

    package func checkOperands(_ syntax: Syntax) throws(Misuse) {
        let (count, wanted) = (operands.count, syntax.operandCount)
        if count < wanted.lowerBound { throw .tooFewOperands(count) }
        if count > wanted.upperBound { throw .extraOperand(operands[wanted.upperBound]) }
    }

    package func has(_ option: Option) -> Bool { has(option.name) }
    package func has(_ name: String) -> Bool { values[name] != nil }

    /// The option's last value.
    package func value(_ name: String) -> ByteString? { values[name]?.last }

    /// All values of an option that may be repeated.
    package func values(_ name: String) -> [ByteString] { values[name] ?? [] }

    /// A value that must be UTF-8, such as an account's name.
    package func text(_ name: String) throws(Failure) -> String? {
        guard let value = value(name) else { return nil }
        return try value.requireText("the value of --\(name)")
    }

    private mutating func take(
        _ word: ByteString, _ rest: inout ArraySlice<ByteString>, _ syntax: Syntax
    ) throws(Misuse) {
        let parts = word.bytes.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let flag = ByteString(Array(parts[0])).text ?? ""
        guard let option = syntax.options.first(where: { $0.flags.contains(flag) }) else {
            throw .unknownOption(word)
        }
        let value: ByteString
        if option.value == nil {
            guard parts.count == 1 else { throw .unwantedValue(option, word) }
            value = ByteString("")
        } else if parts.count == 2 {
            value = ByteString(Array(parts[1]))
        } else {
            guard let next = rest.popFirst() else { throw .noValue(flag, option) }
            value = next
        }
        values[option.name, default: []].append(value)
    }
}

extension ByteString {
    /// The text; throws if it is not UTF-8, which JSON requires.
    package func requireText(_ what: Message) throws(Failure) -> String {
        guard let text else { throw Failure(.usage, "\(what) is not UTF-8: '\(shown)'") }
        return text
    }
}
