// What one part costs, as mambench measures it and as budgets.json has it.

import MAMModel

/// What an operation costs. Counts are the same in every run and on every machine, times are not.
enum Figure: String, CaseIterable {
    case allocations
    case systemCalls
    case heldBytes
    case instructions
    case nanoseconds

    /// The words for people.
    var title: String {
        switch self {
        case .allocations: "allocations"
        case .systemCalls: "system calls"
        case .heldBytes: "bytes held"
        case .instructions: "instructions"
        case .nanoseconds: "ns"
        }
    }

    /// How far above its budget it may be; nil for what is never compared.
    var margin: Double? {
        switch self {
        case .allocations, .systemCalls, .heldBytes: 0
        // libcrypto and libc choose their code by the processor, and hash tables their order by
        // chance.
        case .instructions: 0.15
        case .nanoseconds: nil
        }
    }
}

/// One part's figures, each for one operation. What could not be measured is not there.
struct PartFigures {
    let name: String
    /// Bytes of content that an operation moves; 0 if it moves none.
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

/// Two digits: what comes once in more than 200 operations is a table or a heap that grows, and not
/// the same in each run.
func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

private func number(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .number(value)
}
