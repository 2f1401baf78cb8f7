// The numbers of a machine's reports.

internal import Glibc
internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// Each is higher than all before it, also after a restart, with a clock that was set back, and
/// after leaving and joining again: the organisation refuses lower ones.
///
/// `STATE/fleet/sequence.json` has a number that none has reached yet. It is ahead of them, so that
/// not each report has to wait for the disk. On a read-only state directory the clock alone counts.
package final class ReportSequence: Sendable {
    private let directory: String
    private let isReadOnly: Bool
    private let state: Guarded<State>

    private struct State {
        /// The last number.
        var last: Int64
        /// Durable: none has reached it.
        var bound: Int64
    }

    private static let fileName = "sequence.json"
    private static let member = "next"
    /// In milliseconds: at most one write in each minute, however many the reports.
    private static let reserve: Int64 = 60_000
    /// Far behind all times that a clock can have, and far from where numbers overflow.
    private static let latest: Int64 = 1 << 60
    private static let highest: Int64 = 1 << 61

    package init(in directory: String, isReadOnly: Bool) {
        self.directory = directory
        self.isReadOnly = isReadOnly
        let bytes = try? readSmallFile(
            "\(directory)/\(Self.fileName)", maximumByteCount: 1 << 10)
        let json = bytes.flatMap { try? JSONValue(parsing: $0) }
        // A damaged one gives way to the clock.
        let bound =
            json?.object?[Self.member]?.integer.flatMap {
                (1...Self.highest).contains($0) ? $0 : nil
            } ?? 1
        state = Guarded(State(last: bound - 1, bound: bound))
    }

    /// `clock`: seconds since 1970.
    package func next(at clock: Int64) throws(FleetError) -> Int64 {
        try state.withLock { state throws(FleetError) in
            let milliseconds = min(max(clock, 0), Self.latest / 1000) * 1000
            let next = max(state.last + 1, milliseconds)
            if next >= state.bound {
                let bound = next + Self.reserve
                try store(bound)
                state.bound = bound
            }
            state.last = next
            return next
        }
    }

    private func store(_ bound: Int64) throws(FleetError) {
        guard !isReadOnly else { return }
        do throws(Errno) {
            try makeDirectories(directory, mode: 0o700)
            let opened = try openFile(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            let content = JSONValue.object([Self.member: .integer(bound)]).encoded()
            try replaceFile(in: opened, named: Self.fileName, with: content)
        } catch { throw .notStored(error) }
    }
}
