// A workspace and its accounts as `status` and `report --me` show them.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// Texts behind labels, in lines that fit the screen.
struct LabelledLines {
    private let width: Int
    private var lines: [String] = []

    private static let labelWidth = 12

    init(width: Int) { self.width = width }

    var text: String { lines.joined(separator: "\n") }

    mutating func add(titleOf report: StatusReport) {
        let place: Message =
            report.mountPoint.isEmpty
            ? "being checked, not mounted" : "at \(shown(report.mountPoint))"
        let access: Message = report.readOnly ? "\(place), read-only" : place
        lines.append("\(Style.output.bold(report.name))  \(access.translated)")
    }

    mutating func add(_ account: AccountLines) {
        let state = account.countdown.map { "\(account.state), \($0)" } ?? account.state
        let start = "  \(account.mark.translated) \(Style.output.bold(account.shown))  "
        lines.append(
            wrapped(
                words(of: state), after: start, hanging: 4,
                width: max(width, start.count)))
        if let reason = account.blockReason { add("because", reason) }
        if let use = account.use { add("use", use) }
        if let policy = account.policy { add("policy", policy) }
        if let checkIn = account.checkIn { add("check-in", checkIn) }
        if let notes = account.notes { add("note", notes) }
        if let next = account.next { add("next", next) }
    }

    mutating func add(_ label: Message, _ text: Message) {
        let label = label.translated
        let indent = String(repeating: " ", count: max(0, Self.labelWidth - label.count))
        // Colour the label after wrapping, which would count escape sequences.
        let line = wrapped(
            words(of: text), after: "\(indent)\(label)  ", hanging: Self.labelWidth + 2,
            width: width)
        lines.append(
            indent + Style.output.faint(label) + line.dropFirst(indent.count + label.count))
    }
}
