// Counters for the administrator. They stay in this process.

internal import MAMStore
internal import Synchronization

/// The counters.
package enum Metric: Int, Sendable, CaseIterable {
    case opens, creations
    case refusedClosed, refusedKeyMissing, refusedKeyRevoked, refusedBlocked, refusedByPolicy
    case refusedDamaged, refusedOtherwise
    case locks, unlocks, wipes, blocks
    case checkIns, failedCheckIns
    case policyChanges, policyReadingsUnchanged, refusedPolicies
    case yesDecisions, noDecisions
    case damagedBlocks
    case sessions
    case containedPrograms, containmentFiles, containmentCalls
}

/// One atomic number each, so that counting never blocks an open.
package final class Metrics: Sendable {
    private final class Counter: Sendable {
        let value = Atomic<Int64>(0)
    }

    private let counters = Metric.allCases.map { _ in Counter() }
    package let isOn: Bool

    /// `isOn`: false counts nothing.
    init(isOn: Bool) { self.isOn = isOn }

    package func count(_ metric: Metric) {
        guard isOn else { return }
        counters[metric.rawValue].value.add(1, ordering: .relaxed)
    }

    package subscript(_ metric: Metric) -> Int64 {
        counters[metric.rawValue].value.load(ordering: .relaxed)
    }

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
