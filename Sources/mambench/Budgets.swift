// The budgets of the parts: Tests/Bench/budgets.json.

import MAMCrypto
import MAMModel
import MAMSystem

/// The budgets of one cipher implementation. Each has its own, as some allocate and some do not.
struct Budgets {
    /// The whole file; the other ciphers' budgets are written back unchanged.
    private let all: [String: JSONValue]
    private let cipher: GCMLibrary
    private var parts: [String: PartFigures]

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    /// `measured`: the new budgets; nil: those in the file.
    init(
        reading path: String, for cipher: GCMLibrary, replacedBy measured: [PartFigures]? = nil
    ) throws {
        do {
            let text = try readSmallFile(path, maximumByteCount: 1 << 20)
            all = try JSONValue(parsing: text).object ?? [:]
            self.cipher = cipher
            parts =
                try measured.map { $0.reduce(into: [:]) { $0[$1.name] = $1 } }
                ?? Self.parts(in: all[cipher.rawValue])
        } catch {
            throw Malformed(description: "\(path): \(cipher.rawValue): \(error)")
        }
    }

    private static func parts(in json: JSONValue?) throws -> [String: PartFigures] {
        guard let members = json?.object else {
            throw Malformed(description: "there are no budgets for this cipher")
        }
        return try members.reduce(into: [:]) { parts, member in
            guard let part = PartFigures(member.key, member.value) else {
                throw Malformed(description: "\"\(member.key)\" has figures that are not known")
            }
            parts[member.key] = part
        }
    }

    subscript(_ name: String) -> PartFigures? { parts[name] }

    var json: [UInt8] {
        var all = all
        all[cipher.rawValue] = .object(parts.mapValues(\.json))
        return JSONValue.object(all).encoded(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// One line per figure above its budget, part without a budget, and budget without a part.
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
