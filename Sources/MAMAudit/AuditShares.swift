// How much of the audit's records one user causes.

internal import MAMModel
internal import MAMSystem

/// What a user may call as often as it likes must not displace what others did, nor other things
/// that it did itself: so many events of each kind in an hour are kept with everybody's, and what
/// is beyond displaces only its like. Root may change the files anyway.
struct AuditShares {
    private struct Kind: Hashable {
        let user: UInt32
        let event: LogMessage
    }

    private var counts: [Kind: Int] = [:]
    private var hour: Int64 = 0

    private static let ofHour = 64

    /// Counts a record; true if it is beyond its user's share. Without a caller it is that of the
    /// account's user.
    mutating func isExceeded(by record: AuditRecord) -> Bool {
        let now = record.time.milliseconds / 3_600_000
        if now != hour { (hour, counts) = (now, [:]) }
        guard let user = record.caller?.uid ?? record.registrant, user != 0 else { return false }
        let kind = Kind(user: user, event: record.event)
        counts[kind, default: 0] += 1
        return counts[kind, default: 0] > Self.ofHour
    }
}
