// What the counters count of the vault's errors and events.

internal import MAMAudit
internal import MAMStore

extension Metrics {
    /// Runs a call and counts its success or its refusal.
    func counting<Value>(
        _ metric: Metric, _ body: () throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        do throws(VaultError) {
            let value = try body()
            count(metric)
            return value
        } catch {
            count(error.metric)
            throw error
        }
    }

    func count(_ event: AccountEvent.Kind) {
        if let metric = event.metric { count(metric) }
    }
}

extension VaultError {
    /// The counter for a refusal.
    var metric: Metric {
        switch self {
        case .windowClosed: .refusedClosed
        case .keyMissing: .refusedKeyMissing
        case .keyRevoked: .refusedKeyRevoked
        case .blocked: .refusedBlocked
        case .refused: .refusedByPolicy
        case .store(let error) where error.isDamage: .refusedDamaged
        case .store, .notFound, .notManaged, .invalid: .refusedOtherwise
        }
    }
}

extension AccountEvent.Kind {
    fileprivate var metric: Metric? {
        switch self {
        case .unavailable: .locks
        case .available: .unlocks
        case .wiped: .wipes
        case .blocked: .blocks
        case .checkedIn(let failure): failure == nil ? .checkIns : .failedCheckIns
        case .policyRefused: .refusedPolicies
        case .uiTaken: .sessions
        default: nil
        }
    }
}
