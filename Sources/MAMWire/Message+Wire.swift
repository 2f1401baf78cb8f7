// A message on the socket: what gettext looks up, and its values, for clients that speak to people
// in their language. The reason beside it has the same in English.

package import MAMModel
internal import MAMSystem

extension Message {
    /// In prefix order, because an answer is sent often and a tree of objects is slow to encode:
    ///
    ///     %FORMAT   a message; for each %s in it a word or message follows (%% is a percent sign)
    ///     =TEXT     a value that no language changes
    ///     !ERRNO    an error number
    ///     #NUMBER   a number for people
    ///     ?COUNT    the next two are the formats for one and for many; the values of the latter
    ///               follow
    ///     +COUNT    so many sentences, which are one message
    ///
    /// `["%%s is %s", "=plan", "%locked"]` is "plan is locked".
    package var wire: [String] {
        var words: [String] = []
        add(to: &words)
        return words
    }

    /// `reason`: from a daemon that says no words; what is printed must not control a terminal.
    package init(_ words: [String]?, else reason: String) {
        var reader = WordReader(words ?? [])
        self =
            reader.message().flatMap { reader.isAtEnd ? $0 : nil }
            ?? Message(known: reason.onOneLine)
    }

    fileprivate func add(to words: inout [String]) {
        if sentences.count != 1 { words.append("+\(sentences.count)") }
        for sentence in sentences {
            if let singular = sentence.singular {
                words += ["?\(sentence.count)", "%\(singular)"]
            }
            words.append("%\(sentence.format)")
            for argument in sentence.arguments { argument.add(to: &words) }
        }
    }
}

extension Sentence.Argument {
    fileprivate func add(to words: inout [String]) {
        switch self {
        case .text(let text): words.append("=\(text)")
        case .message(let message): message.add(to: &words)
        case .error(let error): words.append("!\(error.rawValue)")
        case .number(let number): words.append("#\(number)")
        }
    }
}

/// Nil: what no daemon writes.
private struct WordReader {
    /// More than any message has; the words come from another process.
    private static let maximumDepth = 32

    private var words: ArraySlice<String>
    private var depth = 0

    init(_ words: [String]) { self.words = words[...] }

    var isAtEnd: Bool { words.isEmpty }

    mutating func message() -> Message? {
        guard let count = number(after: "+") else { return sentence().map { Message([$0]) } }
        return repeated(count) { $0.sentence() }.map { Message($0) }
    }

    private mutating func sentence() -> Sentence? {
        var (count, singular): (Int, String?) = (0, nil)
        if let found = number(after: "?") {
            guard let one = text(after: "%") else { return nil }
            (count, singular) = (found, one)
        }
        // Values by number are for translations.
        guard let format = text(after: "%"), !format.contains("$s"),
            let arguments = repeated(Sentence.valueCount(of: format), { $0.argument() })
        else { return nil }
        return Sentence(format: format, singular: singular, count: count, arguments: arguments)
    }

    private mutating func argument() -> Sentence.Argument? {
        if let text = text(after: "=") { return .text(text) }
        if let number = number(after: "#") { return .number(number) }
        if let number = number(after: "!") {
            return Int32(exactly: number).map { .error(Errno(rawValue: $0)) }
        }
        return message().map { .message($0) }
    }

    private mutating func repeated<Part>(
        _ count: Int, _ part: (inout WordReader) -> Part?
    ) -> [Part]? {
        guard count >= 0, count <= words.count, depth < Self.maximumDepth else { return nil }
        depth += 1
        defer { depth -= 1 }
        var parts: [Part] = []
        for _ in 0..<count {
            guard let next = part(&self) else { return nil }
            parts.append(next)
        }
        return parts
    }

    private mutating func text(after tag: Character) -> String? {
        guard let word = words.first, word.first == tag else { return nil }
        words.removeFirst()
        return String(word.dropFirst()).onOneLine
    }

    private mutating func number(after tag: Character) -> Int? {
        guard let word = words.first, word.first == tag, let number = Int(word.dropFirst()) else {
            return nil
        }
        words.removeFirst()
        return number
    }
}
