// HTML fragments. All text goes through `escaped`.

internal import CPages
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem

/// A fragment of HTML. Text becomes one only by escaping; CPages' files are HTML.
struct HTML: ExpressibleByStringInterpolation {
    let text: String

    static let reportStyle = HTML(file: report_css())
    static let fleetStyle = HTML(file: fleet_css())
    static let fleetScript = HTML(file: fleet_js())
    static let machines = HTML(file: machines_html())

    init(stringLiteral value: String) { text = value }
    init(_ text: String) { self.text = escaped(text) }
    /// The text of one of CPages' files.
    private init(file: UnsafePointer<CChar>) { text = String(cString: file) }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    static func + (one: HTML, other: HTML) -> HTML { "\(one)\(other)" }

    /// Escapes interpolated values, unless they are HTML.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {}
        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ html: HTML) { text += html.text }
        mutating func appendInterpolation(_ text: String) { self.text += escaped(text) }
        mutating func appendInterpolation(_ number: Int) { text += "\(number)" }
        mutating func appendInterpolation(_ parts: [HTML]) {
            text += parts.map(\.text).joined(separator: "\n")
        }
    }
}

/// Escapes HTML and control characters: names are untrusted.
private func escaped(_ text: String) -> String {
    var result = ""
    for letter in ByteString(text).shown.unicodeScalars {
        switch letter {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        default: result.unicodeScalars.append(letter)
        }
    }
    return result
}

/// One column of a table: `"Account"`, or `.number("Unlocks")`.
struct ReportColumn: ExpressibleByStringLiteral {
    let title: String
    var isNumber = false

    init(stringLiteral title: String) { self.title = title }

    static func number(_ title: String) -> ReportColumn {
        var column = ReportColumn(stringLiteral: title)
        column.isNumber = true
        return column
    }
}

/// A table that becomes a list of blocks on narrow screens.
func htmlTable(_ caption: String, _ columns: [ReportColumn], _ rows: [[HTML]]) -> HTML {
    let head = columns.map { column -> HTML in
        column.isNumber
            ? "<th scope=\"col\" class=\"number\">\(column.title)</th>"
            : "<th scope=\"col\">\(column.title)</th>"
    }
    let body = rows.map { row -> HTML in
        let cells = zip(columns, row).map { column, cell -> HTML in
            let kind: HTML = column.isNumber ? " class=\"number\"" : ""
            return "<td\(kind) data-label=\"\(column.title)\"><span>\(cell)</span></td>"
        }
        return "<tr>\(cells)</tr>"
    }
    return """
        <table><caption>\(caption)</caption>
        <thead><tr>\(head)</tr></thead>
        <tbody>\(body)</tbody></table>
        """
}
