// Figures as a table, and as JSON.

import MAMModel

/// The number, without a fraction if it is whole.
func plain(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(rounded(value))"
}

func json(of parts: [PartFigures]) -> [UInt8] {
    let members = parts.map { ($0.name, $0.json) }
    return JSONValue.object(Dictionary(members) { first, _ in first }).encoded(pretty: true)
        + [UInt8(ascii: "\n")]
}

/// One line per part. A figure's budget follows it in parentheses.
func table(of parts: [PartFigures], _ budgets: Budgets?) -> String {
    let figures = Figure.allCases.filter { figure in parts.contains { $0[figure] != nil } }
    let head = ["for one operation"] + figures.map(\.title) + ["MB/s"]
    let rows = parts.map { part in
        [part.name] + figures.map { cell(part[$0], budgets?[part.name]?[$0]) } + [speed(of: part)]
    }
    return aligned([head] + rows)
}

private func cell(_ value: Double?, _ budget: Double?) -> String {
    guard let value else { return "" }
    return plain(value) + (budget.map { " (\(plain($0)))" } ?? "")
}

private func speed(of part: PartFigures) -> String {
    guard part.byteCount > 0, let time = part[.nanoseconds], time > 0 else { return "" }
    return "\(Int(Double(part.byteCount) / time * 1000))"
}

/// The first column is left-aligned, the others right-aligned.
private func aligned(_ rows: [[String]]) -> String {
    let widths = rows[0].indices.map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
    return rows.map { row in
        zip(row, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: cell.1 - cell.0.utf8.count)
            return index == 0 ? cell.0 + space : space + cell.0
        }.joined(separator: "  ")
    }.joined(separator: "\n")
}
