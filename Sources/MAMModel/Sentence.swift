// One message of the catalogue, with its values.

/// What gettext looks up, and what is filled in.
package struct Sentence: Sendable, Hashable {
    package enum Argument: Sendable, Hashable {
        case text(String)
        case message(Message)
        case error(Errno)
        case number(Int)
    }

    /// The message's id, with `%s` per argument and `%%` for a percent sign. With a singular it is
    /// the plural's.
    package internal(set) var format: String
    package internal(set) var singular: String?
    package internal(set) var count = 0
    package internal(set) var arguments: [Argument] = []

    /// `singular`: `format` is the plural's, and the count tells which of them it is.
    package init(
        format: String, singular: String? = nil, count: Int = 0, arguments: [Argument] = []
    ) {
        (self.format, self.singular, self.count) = (format, singular, count)
        self.arguments = arguments
    }

    /// What `+` took apart.
    package init(joining parts: [Sentence]) {
        format = parts.map(\.id).joined()
        arguments = parts.flatMap(\.arguments)
    }

    /// The one of the two that the count names.
    package var id: String { count == 1 ? singular ?? format : format }

    package var english: String { filled(id) { $0.english } }

    package func english(where isOurs: (String) -> Bool) -> String {
        filled(id) { argument in
            switch argument {
            case .text(let text) where !isOurs(text): "…"
            case .message(let message): message.english(where: isOurs)
            default: argument.english
            }
        }
    }

    /// Fills in `%s` in order, `%2$s` by number, and `%%`. What is none of these stays, so that a
    /// translator's mistake loses nothing.
    package func filled(_ format: String, _ text: (Argument) -> String) -> String {
        guard format.utf8.contains(UInt8(ascii: "%")) else { return format }
        var result = ""
        var next = 0
        var rest = format[...]
        while let mark = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
            result += rest[..<mark]
            rest = rest[mark...]
            guard let place = Placeholder(startOf: rest) else {
                result.append("%")
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(place.length)
            if place.isPercent {
                result.append("%")
            } else if let argument = value(at: place.number.map { $0 - 1 } ?? next) {
                result += text(argument)
                next += 1
            }
        }
        return result + rest
    }

    /// How many values a format has, with `%s` for each.
    package static func valueCount(of format: String) -> Int {
        format.replacing("%%", with: "").ranges(of: "%s").count
    }

    private func value(at index: Int) -> Argument? {
        arguments.indices.contains(index) ? arguments[index] : nil
    }
}

/// `%s`, `%1$s` or `%%`.
private struct Placeholder {
    var isPercent = false
    var number: Int?
    let length: Int

    init?(startOf text: Substring) {
        let digits = text.dropFirst().prefix { $0.isASCII && $0.isNumber }
        let end = text.dropFirst(1 + digits.count)
        if digits.isEmpty, let letter = end.first, letter == "s" || letter == "%" {
            (isPercent, length) = (letter == "%", 2)
        } else if let number = Int(digits), number > 0, end.hasPrefix("$s") {
            (self.number, length) = (number, digits.count + 3)
        } else {
            return nil
        }
    }
}

extension Sentence.Argument {
    /// In the catalogue, although it has no letters.
    package static let thousand = "1,000"

    package var english: String {
        switch self {
        case .text(let text): text
        case .message(let message): message.english
        case .error(let error): error.description
        case .number(let number): number.grouped(like: Self.thousand)
        }
    }

}

extension Int {
    /// `1,204` like `1,000`, `1.204` like `1.000`.
    package func grouped(like thousand: String) -> String {
        let separator = thousand.dropFirst().dropLast(3)
        let digits = String(magnitude)
        var result = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result += separator }
            result.append(digit)
        }
        return result
    }
}
