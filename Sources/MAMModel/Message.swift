// A sentence for people: in English as the code has it, or in their language by gettext's
// catalogue.

/// Text for a person. A literal is a message of the catalogue, in which each interpolation is `%s`:
/// `"\(path) is empty"` is `%s is empty` there. Values are messages themselves, or data that stays
/// as it is. See docs/TRANSLATING.md.
package struct Message: Sendable, Hashable {
    /// More than one after `+`, which breaks a long literal.
    package internal(set) var sentences: [Sentence]

    package init(_ sentences: [Sentence]) { self.sentences = sentences }

    init(_ sentence: Sentence) { sentences = [sentence] }

    /// Data, such as a name: no language has another.
    package static func verbatim(_ text: String) -> Message {
        Message(Sentence(format: "%s", arguments: [.text(text)]))
    }

    /// A sentence from elsewhere, such as the daemon's reason, which the catalogue may have whole.
    package init(known text: String) { self.init(Sentence(format: text.asFormat)) }

    /// `one` if the count is 1. Both take the same values.
    package init(_ count: Int, one: Message, many: Message) {
        var sentence = Sentence(joining: many.sentences)
        sentence.singular = Sentence(joining: one.sentences).format
        sentence.count = count
        self.init(sentence)
    }

    /// `1,204`, with what the language has between thousands.
    package init(grouping number: Int) {
        self.init(Sentence(format: "%s", arguments: [.number(number)]))
    }

    /// `1 file`, `1,204 files`: the noun is a literal at the call, which po/update finds there.
    package init(_ count: Int, noun: String) {
        let shown = Message(grouping: count)
        self.init(count, one: "\(shown) ", many: "\(shown) ")
        sentences[0].singular? += noun
        sentences[0].format += noun + "s"
    }

    /// What JSON, logs and other programs get.
    package var english: String { sentences.map(\.english).joined() }

    /// The same for records, with `…` in place of values that `isOurs` does not know.
    package func english(where isOurs: (String) -> Bool) -> String {
        sentences.map { $0.english(where: isOurs) }.joined()
    }

    package var isEmpty: Bool { english.isEmpty }
}

extension Message {
    package static func + (one: Message, other: Message) -> Message {
        var sum = one
        sum.sentences += other.sentences
        return sum
    }

    package static func += (one: inout Message, other: Message) { one = one + other }
}

extension Sequence<Message> {
    package func joined(separator: Message = "") -> Message {
        var parts: [Message] = []
        for message in self { parts += parts.isEmpty ? [message] : [separator, message] }
        return Message(
            Sentence(
                format: String(repeating: "%s", count: parts.count),
                arguments: parts.map { .message($0) }))
    }
}

extension DefaultStringInterpolation {
    /// A message in a plain string would lose its language.
    @available(*, deprecated, message: "say .english or .translated, or make it a Message")
    package mutating func appendInterpolation(_ message: Message) {
        appendLiteral(message.english)
    }
}

/// `description` is the message in English, for JSON and logs.
package protocol Worded: CustomStringConvertible {
    var message: Message { get }
}

/// `1 file`, `2 files`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}
