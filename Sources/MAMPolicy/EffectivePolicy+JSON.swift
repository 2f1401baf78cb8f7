// A policy as `policy show` tells it.

package import MAMModel

extension EffectivePolicy {
    /// The rules in force in Graph's words; for each of them which documents gave the value, and which asked for
    /// something looser.
    package var json: JSONValue {
        var shown: [String: JSONValue] = [:]
        for field in RuleField.all where field.show(rules) != .null {
            shown[field.key] = origin(of: field)
        }
        return ["rules": .object(shown), "documents": .array(sources.map(describe))]
    }

    private func origin(of field: RuleField) -> JSONValue {
        let value = field.show(rules)
        let stated = sources.filter { field.show($0.rules) != .null }
        // A list that is what several have in common is from all of them.
        let isFromOne = stated.contains { field.show($0.rules) == value }
        let isFromRestricting = stated.contains { field.counts($0.rules) }
        let gives = { (document: PolicyDocument) in
            isFromOne
                ? field.show(document.rules) == value
                : !isFromRestricting || field.counts(document.rules)
        }
        let (from, looser) = (stated.filter(gives), stated.filter { !gives($0) })
        return [
            "value": value, "from": .array(from.map { .string($0.label) }),
            "looser": .array(
                looser.map { ["document": .string($0.label), "value": field.show($0.rules)] }),
        ]
    }

    private func describe(_ document: PolicyDocument) -> JSONValue {
        [
            "name": .string(document.label), "file": JSONValue(document.file),
            "id": JSONValue(document.id), "version": JSONValue(document.version),
            "isDefault": .bool(document.isDefault),
        ]
    }
}
