// How the values of policy rules stand in JSON. What is unknown never makes a policy looser. Lists
// are sorted, since their order means nothing.

internal import MAMFormat
internal import MAMModel

extension Shape where Value: PolicyChoice {
    /// One of an enumeration's members, which stand in the order of restriction.
    static var choice: Shape {
        var shape = Shape(
            "a text",
            reading: { value, key, warnings in
                guard let text = value.text else { return nil }
                if let member = Value(rawValue: text) { return member }
                let taken = Value.forUnknown
                warnings.append(
                    .unknownValue(key: key, value: text, taken: taken?.rawValue ?? ""))
                return taken
            }, write: { .string($0.rawValue) })
        shape.members = Value.allCases.map(\.rawValue)
        return shape
    }
}

extension Shape where Value: CaseIterable & RawRepresentable<String> & Sendable {
    /// A list of exceptions. A member that is not known is left out.
    static var choices: Shape<[Value]> {
        var shape = Shape<[Value]>(
            "a list of texts",
            reading: { value, key, warnings in
                guard let texts = Shape<[String]>.texts.read(value, key, &warnings) else {
                    return nil
                }
                for text in texts where Value(rawValue: text) == nil {
                    warnings.append(.unknownMember(key: key, value: text))
                }
                return Value.allCases.filter { texts.contains($0.rawValue) }
            }, write: { .array($0.map { .string($0.rawValue) }) })
        shape.members = Value.allCases.map(\.rawValue)
        return shape
    }
}

extension Shape where Value == String? {
    /// A text; an empty one says nothing.
    static let filledText = Shape(
        "a text", read: { value in value.text.map { $0.isEmpty ? nil : $0 } },
        write: { JSONValue($0) })

    static let version = Shape(
        "a text",
        reading: { value, key, warnings in
            guard let text = value.text else { return nil }
            if !text.isEmpty, VersionNumber(text) == nil {
                warnings.append(.notAVersion(key: key, value: text))
            }
            return .some(text.isEmpty ? nil : text)
        }, write: { JSONValue($0) })

    /// Names with semicolons between them. An empty text says nothing; a lone semicolon is a list
    /// without a name.
    static let semicolonList = Shape(
        "a text with semicolons",
        read: { value in value.text.map { $0.isEmpty ? nil : joined(semicolonNames($0)) } },
        write: { JSONValue($0) })
}

extension Shape where Value == [String] {
    static let sortedTexts = Shape(
        "a list of texts",
        reading: { value, key, warnings in
            texts.read(value, key, &warnings).map { Set($0).sorted() }
        }, write: texts.write)
}

extension Shape where Value == [RecoveryPublicKey] {
    /// One key, or a list of them. One that was not typed right refuses the document: files that
    /// nobody can recover are found out too late.
    static let recoveryKeys = Shape(
        "a key that mamctl recovery keygen printed, or a list of them",
        reading: { value, key, warnings in
            let texts =
                value.text.map { [$0] } ?? Shape<[String]>.texts.read(value, key, &warnings) ?? []
            let keys = texts.compactMap { RecoveryPublicKey(text: $0) }
            guard !keys.isEmpty, keys.count == texts.count else { return nil }
            return Set(keys).sorted()
        },
        write: { keys in
            keys.count == 1
                ? .string(keys[0].text) : .array(keys.map { .string($0.text) })
        })
}

extension Shape where Value == PolicyDuration {
    static let duration = Shape(
        "a duration such as PT12H or P90D, without years, months and weeks",
        reading: { value, key, warnings in
            guard let text = value.text, let found = PolicyDuration.parse(text) else { return nil }
            if found.isNegative { warnings.append(.negativeDuration(key: key, value: text)) }
            return found.duration
        }, write: { .string($0.text) })
}

extension Shape where Value == [NamedValue] {
    /// `keyValuePair`s, as they stand.
    static let namedValues = Shape(
        "a list of objects with a name and a value",
        read: { value in
            guard let items = value.array else { return nil }
            var pairs: [NamedValue] = []
            for item in items {
                guard let fields = item.object, let name = fields["name"]?.text else { return nil }
                let value = fields["value"] ?? .null
                guard let text = value == .null ? "" : value.text else { return nil }
                pairs.append(NamedValue(name: name, value: text))
            }
            return pairs
        },
        write: { .array($0.map { ["name": .string($0.name), "value": .string($0.value)] }) })

    /// Pairs whose values are lists with semicolons, taken apart: one scheme in each, in small
    /// letters.
    static let schemes = Shape(
        namedValues.expected,
        reading: { value, key, warnings in
            namedValues.read(value, key, &warnings).map { pairs in
                let each = pairs.flatMap { pair in
                    semicolonNames(pair.value).map {
                        NamedValue(name: pair.name, value: $0.lowercased())
                    }
                }
                return each.oneOfEach(\.value, inOrderOf: \.name)
            }
        }, write: namedValues.write)
}

/// The names of a list with semicolons, each once whatever its case, in order.
func semicolonNames(_ text: String) -> [String] {
    text.split(separator: ";").map(trimmed).filter { !$0.isEmpty }
        .sorted().oneOfEach({ $0.lowercased() }, inOrderOf: \.self)
}

/// For messages: of a long list the first, and how many more there are.
func fewNames(_ names: [String]) -> String {
    let more = names.count - 3
    let first = names.prefix(3).joined(separator: ", ")
    return more > 0 ? "\(first) and \(more) more" : first
}

/// The inverse of ``semicolonNames(_:)``.
func joined(_ names: [String]) -> String { names.isEmpty ? ";" : names.joined(separator: ";") }

func trimmed(_ text: Substring) -> String {
    let start = text.drop { $0.isWhitespace }
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { String(start[...$0]) } ?? ""
}

extension Array {
    /// One element for each key, in the keys' order: the first by a second order.
    func oneOfEach(
        _ key: (Element) -> String, inOrderOf second: (Element) -> String
    ) -> [Element] {
        Dictionary(map { (key($0), $0) }) { second($0) <= second($1) ? $0 : $1 }
            .sorted { $0.key < $1.key }.map(\.value)
    }
}
