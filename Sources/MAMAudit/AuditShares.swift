// How much of the audit's records one user causes.

internal import MAMModel
internal import MAMSystem

/// What a user may call as often as it likes, or is refused as often, must not displace what others
/// did, nor other things that it did itself: so many bytes of each kind of event in an hour are
/// kept with everybody's, and what is beyond displaces only its like. Root may change the files
/// anyway.
struct AuditShares {
    private struct Kind: Hashable {
        let user: UInt32
        let event: LogMessage
    }

    /// Not of records: callers have a say in how long those are.
    private var byteCounts: [Kind: Int] = [:]
    private var hour: Int64 = 0
    private let ofHour: Int

    /// `byteCount`: of a user's events of a kind in an hour.
    init(byteCount: Int) { ofHour = byteCount }

    /// Counts a record; true if its user has had its share already, so that the first is always
    /// within. Without a caller it is that of the account's user.
    mutating func isExceeded(by record: AuditRecord, _ byteCount: Int) -> Bool {
        let now = record.time.milliseconds / 3_600_000
        if now != hour { (hour, byteCounts) = (now, [:]) }
        guard let user = record.caller?.uid ?? record.registrant, user != 0 else { return false }
        let kind = Kind(user: user, event: record.event)
        defer { byteCounts[kind, default: 0] += byteCount }
        return byteCounts[kind, default: 0] >= ofHour
    }
}
