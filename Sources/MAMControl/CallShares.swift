// What one user's calls may take of the daemon at a time (docs/adr/0036-fair-shares.md).

internal import Glibc
internal import MAMSystem
internal import MAMWire

/// What a call takes while it runs.
package enum CallCost: Sendable {
    /// A moment of a processor.
    case short
    /// A key is derived from a passphrase: a second of a processor, and the memory that only one
    /// may have.
    case derivation
    /// As long as files, streams or programs take.
    case long
    /// A lock or a wipe: what waits for nothing else of its user's.
    case closing
    /// Nothing: it waits for what happens.
    case listening
}

/// Shares of one server's calls. Those of root and of the daemon's own user are not bound.
final class CallShares: Sendable {
    /// Half of all, so that two users do not take them all from a third.
    private static let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)

    private let computing = Shares(each: processors)
    private let short = Shares(each: processors)
    private let long = Shares(each: 4)
    private let closing = Shares(each: 4)
    private let derivations = Shares(each: 8)
    private let longFrames = Shares(each: 4)

    /// Reading what was sent, and writing the reply: what takes a processor, and waits for nothing.
    func compute<Value, Failure: Error>(
        for user: UInt32, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try computing.withTurn(of: user, body)
    }

    /// Runs a call in its user's turn. A caller that hangs up meanwhile waits no longer.
    func run<Value>(
        _ cost: CallCost, _ call: VarlinkCall, _ body: () throws -> Value
    ) throws -> Value {
        guard let shares = try turn(cost, call) else { return try body() }
        defer { shares.giveBack(for: call.peer.uid) }
        return try body()
    }

    private func turn(_ cost: CallCost, _ call: VarlinkCall) throws -> Shares? {
        let user = call.peer.uid
        switch cost {
        case .listening: return nil
        case .derivation:
            // Each waits for all before it; whoever asks for more than a person types is told so.
            guard derivations.take(for: user) else {
                // Not at once: the caller that tries again without a pause would take a processor.
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

    /// Whether a frame that is no short one may be read on: it is in memory until its call has
    /// ended.
    func admitLongFrame(of user: UInt32) -> Bool {
        longFrames.wait(for: user, until: Deadline(seconds: 3))
    }

    func endLongFrame(of user: UInt32) { longFrames.giveBack(for: user) }
}
