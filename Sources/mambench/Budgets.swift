// What parts may cost: Tests/Bench/budgets.json.

import MAMModel
import MAMSystem

/// The file of budgets.
struct Budgets {
    private var parts: [String: PartFigures]

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    init(reading path: String) throws {
        do {
            parts = try Self.parts(in: readSmallFile(path, maximumByteCount: 1 << 20))
        } catch {
            throw Malformed(description: "\(path): \(error)")
        }
    }

    private static func parts(in text: [UInt8]) throws -> [String: PartFigures] {
        guard let members = try JSONValue(parsing: text).object else {
            throw Malformed(description: "it is no object")
        }
        return try members.reduce(into: [:]) { parts, member in
            guard let part = PartFigures(member.key, member.value) else {
                throw Malformed(description: "\"\(member.key)\" has figures that are not known")
            }
            parts[member.key] = part
        }
    }

    subscript(_ name: String) -> PartFigures? { parts[name] }

    /// One line for each figure that is above its budget, and for each part without a budget, or budget without a part.
    func excesses(of measured: [PartFigures]) -> [String] {
        var lines: [String] = []
        for part in measured {
            guard let budget = parts[part.name] else {
                lines.append("\(part.name): it has no budget")
                continue
            }
            lines += Figure.allCases.compactMap { excess(of: part, $0, budget) }
        }
        let names = Set(measured.map(\.name))
        let unmeasured = parts.keys.filter { !names.contains($0) }.sorted()
        return lines + unmeasured.map { "\($0): it has a budget, and is not measured" }
    }

    private func excess(of part: PartFigures, _ figure: Figure, _ budget: PartFigures) -> String? {
        guard let margin = figure.margin, let value = part[figure] else { return nil }
        guard let budget = budget[figure] else {
            return "\(part.name): \(figure.title): no budget"
        }
        let limit = budget * (1 + margin)
        guard value > limit else { return nil }
        let share = budget > 0 ? " (+\(Int((100 * (value - budget) / budget).rounded())) %)" : ""
        return "\(part.name): \(figure.title): \(plain(value)), "
            + "\(plain(value - budget)) above the budget of \(plain(budget))\(share)"
    }
}
