// From settings.json or a property list. A wrong value of a key that protects something is an
// error, not a default: it may have been meant to be strict (docs/adr/0039).

package import MAMModel
package import MAMPolicy

extension Settings {
    /// The key under which an app's `Info.plist` has its settings.
    private static let embedded = "IntuneMAMSettings"

    /// Reads one object, or the `IntuneMAMSettings` in it.
    package static func decode(_ bytes: [UInt8]) throws(PolicyError) -> Settings {
        let json = try JSONValue(document: bytes)
        guard case .object(let fields) = json else { throw .notADocument(found: json.kind) }
        var reader = Reader(fields, known: SettingField.keys(in: nil))
        if let own = try reader.read(embedded, .object) {
            reader = Reader(own, known: SettingField.keys(in: nil))
        }
        return try Settings(&reader)
    }

    private init(_ reader: inout Reader) throws(PolicyError) {
        self.init()
        try read(&reader, group: nil)
        var nested: [PolicyWarning] = []
        for group in SettingField.groups {
            guard let fields = try reader.read(group, .object) else { continue }
            var inner = Reader(
                fields, within: "\(group).", known: SettingField.keys(in: group))
            try read(&inner, group: group)
            nested += inner.allWarnings()
            if !inner.left.isEmpty { unknown[group] = .object(inner.left) }
        }
        unknown.merge(reader.left) { _, own in own }
        warnings += reader.allWarnings() + nested
        try checkSignIn()
    }

    private mutating func read(_ reader: inout Reader, group: String?) throws(PolicyError) {
        for field in SettingField.all where field.group == group {
            guard let value = reader.take(field.key) else { continue }
            do throws(PolicyError) { try field.read(value, field.name, &self) } catch {
                guard field.isHarmless, case .value(_, let expected) = error else { throw error }
                reader.leave(value, of: field.key)
                warnings.append(.wrongValue(key: field.name, expected: expected))
            }
        }
    }

    /// Everything that differs from the defaults, in the form that is read, unknown keys too.
    package var json: JSONValue {
        let defaults = Settings()
        var object = unknown
        for field in SettingField.all where field.show(self) != field.show(defaults) {
            guard let group = field.group else {
                object[field.key] = field.show(self)
                continue
            }
            var members = object[group]?.object ?? [:]
            members[field.key] = field.show(self)
            object[group] = .object(members)
        }
        return .object(object)
    }
}
