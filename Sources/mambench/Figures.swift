// The cost of one part, as measured and as in budgets.json.

import MAMModel

/// A cost of an operation. Counts are nearly the same in every run and on every machine; times are
/// not.
enum Figure: String, CaseIterable {
    case allocations
    case systemCalls
    case heldBytes
    case instructions
    case nanoseconds

    /// The column's title.
    var title: String {
        switch self {
        case .allocations: "allocations"
        case .systemCalls: "system calls"
        case .heldBytes: "bytes held"
        case .instructions: "instructions"
        case .nanoseconds: "ns"
        }
    }

    /// The tolerance above the budget, as a fraction; nil: never compared.
    var margin: Double? {
        switch self {
        case .allocations, .systemCalls, .heldBytes: 0
        // libcrypto and libc select code by processor, and the order in hash tables is random.
        case .instructions: 0.15
        case .nanoseconds: nil
        }
    }
}

/// One part's figures per operation, without those that could not be measured.
struct PartFigures {
    let name: String
    /// Bytes of content that an operation moves.
    var byteCount = 0
    var values: [Figure: Double] = [:]

    subscript(_ figure: Figure) -> Double? {
        get { values[figure] }
        set { values[figure] = newValue }
    }

    var json: JSONValue {
        let members = values.map { ($0.key.rawValue, number($0.value)) }
        return .object(Dictionary(members) { first, _ in first })
    }
}

extension PartFigures {
    init?(_ name: String, _ json: JSONValue) {
        guard let members = json.object else { return nil }
        self.name = name
        for (key, value) in members {
            guard let figure = Figure(rawValue: key) else { return nil }
            switch value {
            case .integer(let whole): values[figure] = Double(whole)
            case .number(let number): values[figure] = number
            default: return nil
            }
        }
    }
}

/// Two decimals: an event rarer than one in 200 operations is a growing table or heap, and varies
/// between runs.
func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

private func number(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .number(value)
}
