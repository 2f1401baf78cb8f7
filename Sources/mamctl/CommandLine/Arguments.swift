// Options and operands of one verb.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The parsed words after the verb.
struct Arguments {
    private(set) var operands: [ByteString] = []
    private var values: [String: [ByteString]] = [:]

    /// `--name value`, `--name=value`, `-n value`; `--` ends the options.
    init(_ words: ArraySlice<ByteString>, for verb: Verb) throws(Failure) {
        var rest = words
        while let word = rest.popFirst() {
            if word.text == "--" {
                operands += rest
                break
            }
            if word.bytes.count > 1, word.bytes.first == UInt8(ascii: "-") {
                try take(word, &rest, verb)
                continue
            }
            operands.append(word)
            if verb.takesCommand {
                operands += rest
                break
            }
        }
        // A list may be empty, such as the output of find(1).
        operands += try listedFiles()
        if has("files-from"), operands.isEmpty { return }
        guard verb.operands.contains(operands.count) else {
            throw .usage(
                verb,
                operands.count < verb.operands.lowerBound
                    ? missing(verb.operandNames[operands.count...])
                    : "'\(operands[verb.operands.upperBound].shown)' is an extra operand")
        }
        try checkChoices(verb)
    }

    func has(_ option: Option) -> Bool { values[option.name] != nil }
    func has(_ name: String) -> Bool { values[name] != nil }

    /// The option's last value.
    func value(_ name: String) -> ByteString? { values[name]?.last }

    /// All values of an option that may be repeated.
    func values(_ name: String) -> [ByteString] { values[name] ?? [] }

    /// A value that must be UTF-8, such as an account's name.
    func text(_ name: String) throws(Failure) -> String? {
        guard let value = value(name) else { return nil }
        return try value.requireText("the value of --\(name)")
    }

    private func missing(_ names: ArraySlice<String>) -> Message {
        let (count, names) = (
            names.count, names.map { Message(known: $0) }.joined(separator: " and ")
        )
        return Message(count, one: "\(names) is missing", many: "\(names) are missing")
    }

    /// Checks the words of closed sets.
    private func checkChoices(_ verb: Verb) throws(Failure) {
        if let first = operands.first, !isAmong(verb.choices, first) {
            let others = Verb.group(verb.name).map {
                String($0.name.dropFirst(verb.name.count + 1))
            }
            throw .usage(
                verb, "unknown operand '\(first.shown)'\(choices(first, verb.choices + others))")
        }
        for option in verb.options {
            for value in values(option.name) where !isAmong(option.choices, value) {
                let words = choices(value, option.choices)
                throw .usage(
                    verb,
                    "invalid value '\(value.shown)' for"
                        + " --\(option.name)\(words.isEmpty ? ": \(option.help)" : words)")
            }
        }
    }

    private func isAmong(_ choices: [String], _ word: ByteString) -> Bool {
        choices.isEmpty || choices.contains(word.text ?? "")
    }

    /// Suggests the nearest word, or all of them if they are few.
    private func choices(_ word: ByteString, _ choices: [String]) -> Message {
        let guess = didYouMean(word.shown, in: choices)
        return guess.isEmpty && choices.count < 10
            ? "; use one of \(choices.joined(separator: ", "))" : guess
    }

    private mutating func take(
        _ word: ByteString, _ rest: inout ArraySlice<ByteString>, _ verb: Verb
    ) throws(Failure) {
        let parts = word.bytes.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = ByteString(Array(parts[0])).text ?? ""
        guard let option = (verb.options + [.json]).first(where: { $0.matches(name) }) else {
            throw unknown(word, verb)
        }
        guard let placeholder = option.value else {
            guard parts.count == 1 else { throw .usage(verb, "--\(option.name) takes no value") }
            values[option.name, default: []].append(ByteString(""))
            return
        }
        if parts.count == 2 {
            values[option.name, default: []].append(ByteString(Array(parts[1])))
        } else if let value = rest.popFirst() {
            values[option.name, default: []].append(value)
        } else {
            throw .usage(verb, "\(name) needs a value: \(placeholder)")
        }
    }

    private func unknown(_ word: ByteString, _ verb: Verb) -> Failure {
        let names = verb.allOptions.map { "--\($0.name)" }
        // gocryptfs accepts one dash: suggest `--owner` for `-owner`.
        let name = word.shown.prefix { $0 != "=" }
        let asLong = "--\(name.drop { $0 == "-" })"
        return .usage(verb, "unknown option '\(name)'\(didYouMean(asLong, in: names))")
    }
}

extension Option {
    /// Whether a word of the command line is this option.
    func matches(_ word: String) -> Bool {
        word == "--\(name)" || short.map { word == "-\($0)" } ?? false
    }
}

extension ByteString {
    /// The text; throws if it is not UTF-8, which JSON requires.
    func requireText(_ what: Message) throws(Failure) -> String {
        guard let text else { throw Failure(.usage, "\(what) is not UTF-8: '\(shown)'") }
        return text
    }
}
