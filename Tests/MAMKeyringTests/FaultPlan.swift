import MAMModel
import MAMSystem
import Synchronization

/// Runs a body with planned failures. There is one plan in the process, so one body at a time.
enum FaultPlan {
    private static let turn = Mutex(())

    static func run(
        _ kinds: Faults.Kind, nth: Int, times: Int = .max, error: Errno = .noSpace,
        _ body: () throws -> Void
    ) throws {
        try turn.withLock { _ in
            Faults.arm(kinds, nth: nth, times: times, error: error)
            defer { Faults.disarm() }
            try body()
        }
    }
}
