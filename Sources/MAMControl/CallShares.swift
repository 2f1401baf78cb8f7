// Limits on the concurrent calls of one user (docs/adr/0036-fair-shares.md).

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The resource that a call uses while it runs.
package enum CallCost: Sendable {
    /// A little processor time.
    case short
    /// A key derivation: about a second of processor time; there is memory for one at a time.
    case derivation
    /// Work on files, streams or programs.
    case long
    /// A lock or a wipe, which must not wait for the user's other calls.
    case closing
    /// None: the call waits for events.
    case listening
}

/// The slot of a call that runs, on its connection's thread.
final class CallSlot {
    private let user: UInt32
    private let shares: Shares
    private var isHeld = true

    init(of user: UInt32, in shares: Shares) { (self.user, self.shares) = (user, shares) }

    /// While the call waits for another one of its user, which needs a slot.
    func givingBack<Value>(_ wait: () -> Value) -> Value {
        giveBack()
        defer { isHeld = shares.wait(for: user) }
        return wait()
    }

    func giveBack() {
        if isHeld { shares.giveBack(for: user) }
        isHeld = false
    }
}

/// The limits of one server. Root and the daemon's own user have none.
final class CallShares: Sendable {
    /// Half of the processors, so that one user never takes all of them.
    private static let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)

    private let computing = Shares(each: processors)
    private let short = Shares(each: processors)
    private let long = Shares(each: 4)
    private let closing = Shares(each: 4)
    private let derivations = Shares(each: 8)
    private let longFrames = Shares(each: 4)

    /// Decoding a request or encoding a reply, which uses a processor and never waits.
    func compute<Value, Failure: Error>(
        for user: UInt32, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try computing.withSlot(of: user, body)
    }

    /// Runs a call once its user has a slot. A caller that hangs up stops waiting.
    func run<Value>(
        _ cost: CallCost, _ call: VarlinkCall, _ body: (VarlinkCall) throws -> Value
    ) throws -> Value {
        guard let shares = try acquire(cost, call) else { return try body(call) }
        let slot = CallSlot(of: call.peer.uid, in: shares)
        defer { slot.giveBack() }
        return try body(call.holding(slot))
    }

    private func acquire(_ cost: CallCost, _ call: VarlinkCall) throws -> Shares? {
        let user = call.peer.uid
        switch cost {
        case .listening: return nil
        case .derivation:
            // A person never types this many passphrases at once: refuse rather than queue.
            guard derivations.take(for: user) else {
                // Slow down callers that retry at once.
                sleep(1)
                throw VarlinkError.busy("uid \(user) waits for too many passphrases already")
            }
            return derivations
        case .short: return try wait(in: short, call)
        case .long: return try wait(in: long, call)
        case .closing: return try wait(in: closing, call)
        }
    }

    private func wait(in shares: Shares, _ call: VarlinkCall) throws -> Shares {
        while !shares.wait(for: call.peer.uid, until: Deadline(seconds: 1)) {
            guard call.isConnected else { throw Errno.notConnected }
        }
        return shares
    }

    /// Whether the rest of a long frame may be read. It stays in memory until its call ends.
    func admitLongFrame(of user: UInt32) -> Bool {
        longFrames.wait(for: user, until: Deadline(seconds: 3))
    }

    func endLongFrame(of user: UInt32) { longFrames.giveBack(for: user) }
}
