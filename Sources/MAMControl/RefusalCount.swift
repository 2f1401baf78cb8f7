// How many accesses were refused lately, by the audit.

internal import MAMAudit
internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// Counts by hours, and reads only what is new of the audit.
final class RefusalCount: Sendable {
    private let state = Guarded(State())

    private struct State {
        var sequence: Int64 = 0
        var byHour: [Int64: Int64] = [:]
    }

    private static let hours: Int64 = 7 * 24
    private static let batchCount = 5000

    /// Of the last seven days. `now`: seconds since 1970.
    func count(in trail: AuditTrail, at now: Int64) -> Int64 {
        state.withLock { state in
            let first = now / 3600 - Self.hours
            while let found = try? trail.records(after: state.sequence, atMost: Self.batchCount),
                let last = found.records.last
            {
                for record in found.records where record.event == .refused {
                    let hour = record.time.milliseconds / 3_600_000
                    if hour > first { state.byHour[hour, default: 0] += Int64(record.count) }
                }
                state.sequence = last.sequence
            }
            state.byHour = state.byHour.filter { $0.key > first }
            return state.byHour.values.reduce(0, +)
        }
    }
}
