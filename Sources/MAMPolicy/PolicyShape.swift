// How the values of policy rules stand in JSON. What is unknown never makes a policy looser.

internal import MAMModel

extension Shape where Value: CaseIterable & RawRepresentable<String> & Sendable {
    /// One of an enumeration's members, which stand in the order of restriction. A member that is not known stands
    /// for the most restrictive one: a policy of tomorrow must not become looser by our not knowing it.
    static var choice: Shape {
        Shape(
            "a text",
            reading: { value, key, warnings in
                guard let text = value.text else { return nil }
                if let member = Value(rawValue: text) { return member }
                let strictest = Array(Value.allCases).last
                warnings.append(
                    .unknownValue(key: key, value: text, taken: strictest?.rawValue ?? ""))
                return strictest
            }, write: { .string($0.rawValue) })
    }
}
