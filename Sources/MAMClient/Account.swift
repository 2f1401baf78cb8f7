// Accounts, as the socket tells of them.

internal import MAMModel
internal import MAMWire

/// A managed account.
public struct Account: Sendable, Hashable {
    /// How its access windows are.
    public enum State: String, Sendable, Hashable {
        /// Not unlocked since the daemon started.
        case beforeFirstUnlock = "before-first-unlock"
        /// Its files can be read.
        case unlocked
        /// About to be locked; an unlock cancels that.
        case grace
        /// Its files are closed.
        case locked
    }

    /// The user principal name; empty for an account that is known by its object id alone.
    public let name: String
    /// The directory's object id; empty if it has none yet.
    public let objectId: String
    /// The user who registered it.
    public let uid: UInt32
    /// How its windows are.
    public let state: State
    /// False: this device alone protects its keys.
    public let hasPassphrase: Bool
    /// `registered`, `enrolled` or `signed-out`.
    public let stage: String
    /// The SDK's number for what last came of enrolling it.
    public let statusCode: Int
    /// What keeps it closed beside a lock: `offline`, `launch`, `passphrase`…; nil for nothing.
    public let block: String?
    /// A sentence about ``block``.
    public let blockReason: String?

    init(_ report: AccountReport) {
        name = report.name
        objectId = report.objectID
        uid = UInt32(truncatingIfNeeded: report.uid)
        state =
            switch report.window {
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .unlocked: .unlocked
            case .grace: .grace
            case .locked: .locked
            }
        hasPassphrase = report.hasPassphrase
        stage = report.stage
        statusCode = report.statusCode
        block = report.block.isEmpty ? nil : report.block
        blockReason = report.block.isEmpty ? nil : report.blockReason
    }
}
