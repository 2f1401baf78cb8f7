// How much of the table one user takes.

internal import MAMModel
internal import MAMSystem

/// One user's processes in the table. Each look for those that have ended reads /proc for all of
/// them, so it comes when their number has doubled or may not grow, and once a second at most.
struct IdentityShare: Sendable {
    /// Identities that a user, and threads of one process, may have. A look-up in a child of such a
    /// process asks each of those threads for its children.
    static let settings = 4096, threadsOfProcess = 256
    /// Processes whose inheritance is remembered. Beyond it is searched for each time.
    static let remembered = 4096

    private(set) var lives: Set<ProcessLife> = []
    private(set) var settingCount = 0
    private var sweepAt = 64
    private var nextSweep: Deadline?

    var isFull: Bool { settingCount >= Self.settings }
    var remembersMore: Bool { lives.count < Self.remembered }

    /// Whether the ended ones are to be looked for now, which nobody else is told for a second.
    /// `isPressing`: something is refused otherwise.
    mutating func shallBeSwept(isPressing: Bool) -> Bool {
        guard isPressing || !remembersMore || lives.count + settingCount >= sweepAt,
            nextSweep?.hasPassed ?? true
        else { return false }
        nextSweep = Deadline(seconds: 1)
        return true
    }

    mutating func note(_ life: ProcessLife, settings: Int) {
        lives.insert(life)
        settingCount += settings
    }

    mutating func drop(_ life: ProcessLife, settings: Int) {
        lives.remove(life)
        settingCount -= settings
    }

    mutating func wasSwept() { sweepAt = max(64, 2 * (lives.count + settingCount)) }
}
