// The JSON forms of policy values. An unknown value never makes a policy looser. Lists are sorted,
// because their order is irrelevant.

internal import MAMFormat
internal import MAMModel

extension Shape where Value: PolicyChoice {
    /// A member of an enumeration whose members are ordered by restriction.
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
    /// A list of exceptions. Unknown members are dropped.
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
    /// A text; an empty one means not configured.
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

    /// Names separated by semicolons. An empty text means not configured; a lone semicolon is an
    /// empty list.
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
    /// A key or a list of keys. A mistyped key rejects the document: otherwise the mistake would
    /// only show when files have to be recovered.
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
    /// `keyValuePair`s, unchanged.
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

    /// Pairs whose values are semicolon lists, split into one pair per scheme, in lower case.
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

/// The names in a semicolon list, without duplicates regardless of case, sorted.
func semicolonNames(_ text: String) -> [String] {
    text.split(separator: ";").map(trimmed).filter { !$0.isEmpty }
        .sorted().oneOfEach({ $0.lowercased() }, inOrderOf: \.self)
}

/// For messages: the first names, and the number of the others.
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
    /// One element per key, sorted by key: the first by a second order.
    func oneOfEach(
        _ key: (Element) -> String, inOrderOf second: (Element) -> String
    ) -> [Element] {
        Dictionary(map { (key($0), $0) }) { second($0) <= second($1) ? $0 : $1 }
            .sorted { $0.key < $1.key }.map(\.value)
    }
}
