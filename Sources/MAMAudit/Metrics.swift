// Counters for the administrator. They stay in this process.

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
    package init(isOn: Bool) { self.isOn = isOn }

    package func count(_ metric: Metric) {
        guard isOn else { return }
        counters[metric.rawValue].value.add(1, ordering: .relaxed)
    }

    package subscript(_ metric: Metric) -> Int64 {
        counters[metric.rawValue].value.load(ordering: .relaxed)
    }
}
