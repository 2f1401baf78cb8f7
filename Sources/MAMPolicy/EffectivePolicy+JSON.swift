// A policy in the form of `policy show`.

package import MAMModel

extension EffectivePolicy {
    /// The rules in force in Graph's terms, each with the documents that set the value, and those
    /// that specified a looser one.
    package var rulesJSON: JSONValue {
        var shown: [String: JSONValue] = [:]
        for field in RuleField.all where field.show(rules) != .null {
            shown[field.key] = origin(of: field)
        }
        return .object(shown)
    }

    /// Identifies these rules across restarts and versions: a hash of the configured properties in
    /// Graph's terms, sorted by name. FNV-1a, 64 bits.
    package var mark: String {
        let shown = RuleField.all.map { ($0.key, $0.show(rules)) }.filter { $0.1 != .null }
        let text = JSONValue.object(Dictionary(uniqueKeysWithValues: shown)).encoded()
        let hash = text.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// A value may be the default of a document that does not set the property; only explicit
    /// values count as looser.
    private func origin(of field: RuleField) -> JSONValue {
        let value = field.show(rules)
        let speaking = sources.filter { field.stand($0.rules) != nil }
        // An intersection of lists comes from all of them.
        let isFromOne = speaking.contains { field.stand($0.rules) == value }
        let isFromCounting = speaking.contains { field.counts($0.rules) }
        let gives = { (document: PolicyDocument) in
            isFromOne
                ? field.stand(document.rules) == value
                : !isFromCounting || field.counts(document.rules)
        }
        let looser = sources.filter { field.show($0.rules) != .null && !gives($0) }
        return [
            "value": value, "from": .array(speaking.filter(gives).map { .string($0.label) }),
            "looser": .array(
                looser.map { ["document": .string($0.label), "value": field.show($0.rules)] }),
        ]
    }
}
