// Fault injection for tests: "the Nth write returns ENOSPC".

internal import Glibc
package import MAMModel
internal import Synchronization

/// Errors that a test plans for its own thread's calls. Costs one relaxed load when no plan exists.
package enum Faults {
    /// Kinds of calls that can fail; each raw value is one bit.
    package struct Kind: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let write = Kind(rawValue: 1)
        package static let truncate = Kind(rawValue: 2)
        package static let sync = Kind(rawValue: 4)
        package static let allocate = Kind(rawValue: 8)
        package static let rename = Kind(rawValue: 16)
        package static let remove = Kind(rawValue: 32)
        package static let seek = Kind(rawValue: 64)
        package static let list = Kind(rawValue: 128)
        package static let any = Kind(rawValue: 0xFF)
    }

    private struct Plan {
        let kinds: Kind
        let error: Errno
        var callsBefore: Int
        var failuresLeft: Int
        var hasFailed = false
    }

    private static let armed = Atomic<Bool>(false)
    /// By thread, so that tests that run in parallel do not affect each other.
    private static let plans = Mutex<[pthread_t: Plan]>([:])

    /// From this thread's `nth` matching call on (counted from 1), `times` calls fail with `error`,
    /// until ``disarm()``.
    package static func arm(_ kinds: Kind, nth: Int, times: Int = .max, error: Errno) {
        plans.withLock {
            $0[pthread_self()] = Plan(
                kinds: kinds, error: error, callsBefore: nth - 1, failuresLeft: times)
        }
        armed.store(true, ordering: .sequentiallyConsistent)
    }

    /// Ends this thread's plan. True if it made a call fail.
    @discardableResult
    package static func disarm() -> Bool {
        plans.withLock { plans in
            defer { armed.store(!plans.isEmpty, ordering: .sequentiallyConsistent) }
            return plans.removeValue(forKey: pthread_self())?.hasFailed ?? false
        }
    }

    @inline(__always)
    package static func check(_ kind: Kind) throws(Errno) {
        if armed.load(ordering: .relaxed) { try checkPlan(kind) }
    }

    private static func checkPlan(_ kind: Kind) throws(Errno) {
        let error: Errno? = plans.withLock { plans in
            guard var plan = plans[pthread_self()], plan.kinds.contains(kind), plan.failuresLeft > 0
            else { return nil }
            defer { plans[pthread_self()] = plan }
            guard plan.callsBefore == 0 else {
                plan.callsBefore -= 1
                return nil
            }
            plan.failuresLeft -= 1
            plan.hasFailed = true
            return plan.error
        }
        if let error { throw error }
    }
}
