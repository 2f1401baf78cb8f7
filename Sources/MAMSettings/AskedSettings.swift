// What an organisation asks of machines' settings: the content of a document that it signs.

package import MAMModel
package import MAMPolicy

/// JSON in the form of settings.json, with the keys of ``AskedSetting``, and perhaps `Contact`.
package struct AskedSettings: Sendable, Equatable {
    /// By the names that messages have: `LockOn.Sleep`.
    package private(set) var values: [String: JSONValue] = [:]
    /// Whom people ask for help: an address, a number or a URL; nil: the document names nobody.
    package private(set) var contact: String?

    /// All keys that may be asked for.
    package static let keys: [String] = AskedSetting.all.map(\.name)
    package static let contactKey = "Contact"
    private static let maximumContactByteCount = 200

    /// Nothing is asked.
    package init() {}

    /// Refuses the whole for one key or value that it does not know: it may be a restriction.
    package init(parsing bytes: [UInt8]) throws(PolicyError) {
        let json = try JSONValue(document: bytes)
        guard case .object(let fields) = json else { throw .notADocument(found: json.kind) }
        for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
            if key == Self.contactKey {
                contact = try Self.contact(value)
                continue
            }
            guard SettingField.groups.contains(key) else {
                try ask(key, value)
                continue
            }
            guard let members = value.object else { throw .value(key: key, expected: "an object") }
            for (member, value) in members.sorted(by: { $0.key < $1.key }) {
                try ask("\(key).\(member)", value)
            }
        }
    }

    /// People read it in a terminal, too: nothing in it moves or hides what stands beside.
    private static func contact(_ value: JSONValue) throws(PolicyError) -> String {
        guard let text = value.text, (1...maximumContactByteCount).contains(text.utf8.count),
            ByteString(text).shown == text, text.contains(where: { $0 != " " })
        else {
            throw .value(
                key: contactKey, expected: "1 to \(maximumContactByteCount) bytes of plain text")
        }
        return text
    }

    private mutating func ask(_ name: String, _ value: JSONValue) throws(PolicyError) {
        guard let setting = AskedSetting.byName[name] else {
            throw .notAsked(
                key: name, guess: PolicyWarning.guess(name, among: Self.keys + [Self.contactKey]))
        }
        var asked = Settings()
        try setting.read(value, &asked)
        values[name] = value
    }

    /// The settings, each as strict as is asked at least.
    package func strictest(with own: Settings) -> Settings {
        values.keys.reduce(into: own) { settings, key in
            AskedSetting.byName[key]?.raise(asked(for: key), &settings)
        }
    }

    /// What settings say for a key, as settings.json has it.
    package static func value(of key: String, in settings: Settings) -> JSONValue {
        AskedSetting.byName[key]?.show(settings) ?? .null
    }

    /// The keys for which the other asks less, or nothing.
    package func keysLaxer(in other: AskedSettings) -> [String] {
        values.keys.filter { key in
            guard let setting = AskedSetting.byName[key], other.values[key] != nil else {
                return true
            }
            let (former, new) = (asked(for: key), other.asked(for: key))
            var both = new
            setting.raise(former, &both)
            return setting.show(both) != setting.show(new)
        }.sorted()
    }

    /// The defaults, with the value that is asked for the key.
    private func asked(for key: String) -> Settings {
        var settings = Settings()
        // It could be read when the document was.
        if let value = values[key] { try? AskedSetting.byName[key]?.read(value, &settings) }
        return settings
    }
}
