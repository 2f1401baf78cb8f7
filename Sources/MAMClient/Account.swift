// Accounts as the daemon reports them, and their passphrases, which this library never reads: it
// passes a descriptor on.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A managed account.
public struct Account: Sendable, Hashable {
    /// The state of its access windows.
    public enum State: String, Sendable, Hashable {
        /// Not unlocked since the daemon started.
        case beforeFirstUnlock
        /// Its files can be read.
        case unlocked
        /// A lock is pending; an unlock cancels it.
        case grace
        /// Its files are closed.
        case locked
    }

    /// The user principal name; empty for an account known only by its object id.
    public let name: String
    /// The directory's object id; empty if it has none yet.
    public let objectId: String
    /// The user who registered it.
    public let uid: UInt32
    /// The state of its windows.
    public let state: State
    /// False if this device alone protects its keys.
    public let hasPassphrase: Bool
    /// `registered`, `enrolled` or `signedOut`.
    public let stage: String
    /// The SDK's number for its last enrolment result.
    public let statusCode: Int
    /// What blocks it, apart from a lock: `offline`, `launch`, `passphrase`…; nil for nothing.
    public let block: String?
    /// A sentence about ``block``.
    public let blockReason: String?
    /// What one more wrong passphrase leads to: `lockedOut` or `wiped`; nil for neither.
    public let lastTry: String?

    init(_ report: AccountReport) {
        name = report.name
        objectId = report.objectID
        uid = UInt32(truncatingIfNeeded: report.uid)
        state =
            switch report.state {
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .unlocked: .unlocked
            case .grace: .grace
            case .locked: .locked
            }
        hasPassphrase = report.hasPassphrase
        stage = report.stage?.rawValue ?? ""
        statusCode = report.statusCode
        block = report.block?.rawValue
        blockReason = report.block == nil ? nil : report.blockReason
        lastTry = report.lastTry?.rawValue
    }
}

/// Where the daemon reads a passphrase.
public enum Passphrase: Sendable, Hashable {
    /// A pipe, file or memfd, which the daemon reads to its end; it drops one trailing newline. The
    /// caller closes it.
    case descriptor(Int32)
    /// The account has none: this device alone protects its keys.
    case none
}

extension Passphrase {
    /// Its index among the descriptors of a call, and these; nil for none.
    typealias Secret = (index: Int?, descriptors: [Descriptor])

    func secret() throws(MAMError) -> Secret {
        guard case .descriptor(let number) = self else { return (nil, []) }
        return (0, [try FileReference.descriptor(number).open(O_RDONLY)])
    }
}
