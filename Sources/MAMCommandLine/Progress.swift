// A progress line on standard error; nothing if that is not a terminal.

internal import Glibc
package import MAMModel
internal import MAMSystem
internal import MAMWords

/// A line that is replaced, a few times each second.
package struct ProgressLine {
    /// False if nothing is displayed.
    package let isShown = Style.hasScreen(STDERR_FILENO)
    private var isOnScreen = false
    private var next = Deadline(milliseconds: firstMilliseconds)

    /// Shorter operations show no progress.
    private static let firstMilliseconds = 300
    private static let intervalMilliseconds = 100

    package init() {}

    /// `text` has the room that it may take.
    package mutating func show(_ text: (_ width: Int) -> String) {
        guard isShown, next.hasPassed else { return }
        next = Deadline(milliseconds: Self.intervalMilliseconds)
        isOnScreen = true
        writeError("\r\u{1B}[K\(text(screenWidth(of: STDERR_FILENO) - 1))")
    }

    /// Removes the line: call it before writing anything else, and at the end.
    package mutating func clear() {
        guard isOnScreen else { return }
        isOnScreen = false
        writeError("\r\u{1B}[K")
    }
}

/// Counts, their rate, and the time left at that rate.
package final class Progress {
    package var files = 0
    package var totalFiles: Int?
    package var bytes = 0
    package var totalBytes: Int?
    /// Additional text.
    package var note: Message?

    private var display = ProgressLine()
    private var samples: [Sample] = []

    /// The rate covers the last three seconds.
    private static let sampleCount = 30

    private static let fewestBarCells = 8
    private static let barCells = 30

    private struct Sample {
        let time: SuspendingClock.Instant
        let amount: Int
    }

    package init(totalFiles: Int? = nil, totalBytes: Int? = nil) {
        self.totalFiles = totalFiles
        self.totalBytes = totalBytes
        // Gives the first line a rate.
        samples = [Sample(time: .now, amount: 0)]
    }

    /// Callers need not count if nothing is displayed.
    package var isShown: Bool { display.isShown }

    /// Shows the counts, rate-limited.
    package func show() {
        display.show { width in
            samples.append(Sample(time: .now, amount: amount.done))
            if samples.count > Self.sampleCount { samples.removeFirst() }
            return line(width: width)
        }
    }

    package func clear() { display.clear() }

    /// As many parts as fit, the most important first.
    private func line(width: Int) -> String {
        var parts = [countOfFiles, countOfBytes, note, rateShown, timeLeft].compactMap {
            $0?.translated
        }
        while parts.count > 1, parts.joined(separator: "  ").count > width { parts.removeLast() }
        let text = String(parts.joined(separator: "  ").prefix(width))
        return bar(within: width - text.count - 2).map { "\(text)  \($0)" } ?? text
    }

    /// Nil without a total or enough room.
    private func bar(within width: Int) -> String? {
        let cells = min(width - 2, Self.barCells)
        guard let total = amount.total, total > 0, cells >= Self.fewestBarCells else { return nil }
        let full = Int(Double(cells) * min(1, Double(amount.done) / Double(total)))
        return "[" + String(repeating: "#", count: full)
            + String(repeating: "-", count: cells - full) + "]"
    }

    /// Measured in bytes if any are counted, else in files.
    private var amount: (done: Int, total: Int?) {
        bytes > 0 ? (bytes, totalBytes) : (files, totalFiles)
    }

    private var countOfFiles: Message? {
        guard totalFiles != 1 else { return nil }
        let total: Message = totalFiles.map { "/\($0.grouped)" } ?? ""
        return "files \(files.grouped)\(total)"
    }

    private var countOfBytes: Message? {
        guard bytes > 0 || totalBytes != nil else { return nil }
        return .verbatim(bytes.asBytes + (totalBytes.map { "/\($0.asBytes)" } ?? ""))
    }

    /// Per second.
    private var rate: Double? {
        guard let first = samples.first, let last = samples.last, last.amount > first.amount else {
            return nil
        }
        let seconds = (last.time - first.time) / .seconds(1)
        return seconds > 0 ? Double(last.amount - first.amount) / seconds : nil
    }

    private var rateShown: Message? {
        rate.map { bytes > 0 ? "\(Int($0).asBytes)/s" : "\(Int($0).grouped) files/s" }
    }

    private var timeLeft: Message? {
        guard let rate, let total = amount.total, total > amount.done else { return nil }
        let seconds = Int((Double(total - amount.done) / rate).rounded(.up))
        if seconds < 60 { return "\(seconds) s left" }
        if seconds < 3600 { return "\(seconds / 60) min left" }
        return seconds < 360_000 ? "\(seconds / 3600) h left" : nil
    }
}
