// Text in lines and columns that fit the screen.

internal import Glibc
package import MAMModel
internal import MAMWords

/// The width of the terminal behind a descriptor; 80 if it is not one.
package func screenWidth(of descriptor: Int32) -> Int {
    var size = winsize()
    let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    return isKnown ? max(20, Int(size.ws_col)) : 80
}

/// The width of standard output's terminal; nil if it is not one, as programs expect unwrapped
/// lines.
package var outputWidth: Int? { isatty(STDOUT_FILENO) == 1 ? screenWidth(of: STDOUT_FILENO) : nil }

package func words(of text: Message) -> [String] { words(of: text.translated) }

/// Several blanks in a row stay: names of files have them.
package func words(of text: String) -> [String] {
    text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
}

/// Words in lines of at most `width`, the first line after `start`, the others indented by
/// `hanging`.
package func wrapped(
    _ words: [String], after start: String = "", hanging: Int = 0, width: Int
) -> String {
    var lines: [String] = []
    var line = start
    var isEmpty = true
    for word in words {
        if !isEmpty, line.count + 1 + word.count > width {
            lines.append(line)
            line = String(repeating: " ", count: hanging)
            isEmpty = true
        }
        line += (isEmpty ? "" : " ") + word
        isEmpty = false
    }
    lines.append(line)
    return lines.joined(separator: "\n")
}

/// Lays out tables for standard output, those that repeat the last one once.
package struct RepeatedTable {
    private let width = outputWidth
    private var rows: [[Message]] = []
    private var lines = ""

    package init() {}

    package mutating func lines(of next: [[Message]]) -> String {
        if next != rows { (rows, lines) = (next, table(next, width: width)) }
        return lines
    }
}

/// Rows in columns as wide as their widest cell, ignoring cells of more than 64 characters. With a
/// width, wraps the last cell of a row within its column.
package func table(_ rows: [[Message]], width: Int? = nil) -> String {
    let rows = rows.map { $0.map(\.translated) }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
        rows.map { column < $0.count ? $0[column].count : 0 }.filter { $0 <= 64 }.max() ?? 0
    }
    return rows.map { row in
        var line = ""
        for (column, cell) in row.dropLast().enumerated() {
            line += cell + String(repeating: " ", count: max(0, widths[column] - cell.count) + 2)
        }
        let last = row.last ?? ""
        // A very narrow column is less readable than lines broken by the terminal.
        guard let width, width - line.count >= 16 else { return line + last }
        return wrapped(words(of: last), after: line, hanging: line.count, width: width)
    }.joined(separator: "\n")
}
