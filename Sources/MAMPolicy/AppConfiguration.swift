// An organisation's configuration for an account's programs: `IntuneMAMAppConfig`.

package import MAMModel

/// All configurations for one account. Values are strings on the wire; the caller chooses the type.
package struct AppConfiguration: Sendable, Equatable {
    private struct Delivery: Sendable, Equatable {
        let values: [NamedValue]
        let isDefault: Bool
    }

    private let deliveries: [Delivery]

    package static let empty = AppConfiguration([])

    init(_ documents: [PolicyDocument]) {
        deliveries = documents.map {
            Delivery(values: $0.customSettings, isDefault: $0.isDefault)
        }
    }

    /// One object per configuration; the tenant's default also has `__IsDefault`.
    package var fullData: JSONValue {
        .array(
            deliveries.map { delivery in
                var members = Dictionary(
                    delivery.values.map { ($0.name, JSONValue.string($0.value)) }
                ) { first, _ in first }
                if delivery.isDefault { members["__IsDefault"] = true }
                return .object(members)
            })
    }

    package var keys: [String] { Set(deliveries.flatMap(\.values).map(\.name)).sorted() }

    /// True if targeted configurations disagree on the key.
    package func hasConflict(_ key: String) -> Bool { Set(targeted(key)).count > 1 }

    /// The key's values; the default's only if no other configuration has the key.
    private func values(_ key: String) -> [String] {
        let targeted = targeted(key)
        return targeted.isEmpty ? values(key, isDefault: true) : targeted
    }

    private func targeted(_ key: String) -> [String] { values(key, isDefault: false) }

    private func values(_ key: String, isDefault: Bool) -> [String] {
        deliveries.filter { $0.isDefault == isDefault }
            .flatMap(\.values).filter { $0.name == key }.map(\.value)
    }
}

extension AppConfiguration {
    package enum TruthQuery: String, Sendable, CaseIterable { case any, or, and }
    package enum OrderQuery: String, Sendable, CaseIterable { case any, min, max }

    package func texts(_ key: String) -> [String] { values(key) }

    /// The values that are booleans.
    package func truths(_ key: String) -> [Bool] {
        values(key).compactMap { Self.truths[$0.lowercased()] }
    }

    /// The values that are decimal numbers.
    package func numbers(_ key: String) -> [Double] {
        values(key).compactMap { text in
            // Swift also accepts hexadecimal, infinity and NaN.
            let isDecimal = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
            return isDecimal ? Double(text).flatMap { $0.isFinite ? $0 : nil } : nil
        }
    }

    package func truth(_ key: String, _ query: TruthQuery) -> Bool? {
        let all = truths(key)
        return switch query {
        case .any: all.first
        case .or: all.isEmpty ? nil : all.contains(true)
        case .and: all.isEmpty ? nil : !all.contains(false)
        }
    }

    package func number(_ key: String, _ query: OrderQuery) -> Double? {
        Self.pick(numbers(key), query)
    }

    package func text(_ key: String, _ query: OrderQuery) -> String? {
        Self.pick(texts(key), query)
    }

    private static func pick<Value: Comparable>(_ all: [Value], _ query: OrderQuery) -> Value? {
        switch query {
        case .any: all.first
        case .min: all.min()
        case .max: all.max()
        }
    }

    private static let truths = [
        "true": true, "yes": true, "1": true, "false": false, "no": false, "0": false,
    ]
}
