// Why a file or an account is unavailable: each reason has its own errno and exit status.

package import MAMModel
package import MAMStore
internal import MAMSystem

/// The vault's refusals and failures.
package enum VaultError: Error, Sendable {
    /// The account's window is closed for this file's class.
    case windowClosed(Identity)
    /// The file's key is not on this device.
    case keyMissing(Identity)
    /// The account is being or was wiped: the key is destroyed.
    case keyRevoked(Identity)
    /// Policy keeps the account closed.
    case blocked(Identity, AccountBlock)
    /// Policy or identity forbids it; a sentence, a command that helps, and the rule for the audit.
    case refused(Message, next: String? = nil, rule: String? = nil)
    case store(StoreError)
    /// There is no such file; a sentence.
    case notFound(Message)
    /// Only a managed account's files are encrypted.
    case notManaged(Identity)
    /// The request is invalid; a sentence, and a command that helps.
    case invalid(Message, next: String? = nil)
}

extension VaultError: Worded {
    package var description: String { message.english }

    package var message: Message { next.map { "\(reason); run: \($0)" } ?? reason }

    /// One sentence.
    package var reason: Message {
        switch self {
        case .windowClosed(let owner): "the access window of \(owner) is closed"
        case .keyMissing(let owner):
            "it is encrypted for \(owner), and its key is not on this device"
        case .keyRevoked(let owner): "the account \(owner) was wiped: its keys are destroyed"
        case .blocked(let owner, let block): "\(owner) is blocked: \(block.reason)"
        case .notManaged(let owner): "\(owner) is not a managed account here"
        case .refused(let reason, _, _), .invalid(let reason, _), .notFound(let reason): reason
        case .store(let error): error.message
        }
    }

    /// A command that helps.
    package var next: String? {
        switch self {
        case .windowClosed(let owner): "mamctl unlock \(owner)"
        case .keyMissing: "mamctl account import FILE"
        case .notManaged: "mamctl account list"
        case .refused(_, let next, _), .invalid(_, let next): next
        case .keyRevoked, .blocked, .store, .notFound: nil
        }
    }
}

/// Makes a store call and converts its error to the vault's.
@inline(__always)
package func storing<Value>(_ call: () throws(StoreError) -> Value) throws(VaultError) -> Value {
    do throws(StoreError) { return try call() } catch { throw .store(error) }
}

extension VaultError {
    /// The file is of an account that another user registered.
    package static func othersFile(
        _ owner: Identity, _ user: UInt32, next: String? = nil
    ) -> VaultError {
        .refused(
            "it belongs to \(owner), an account of uid \(user)", next: next, rule: "AccountUsers")
    }

    /// A system call on the file failed.
    package init(_ error: Errno) { self = .store(.system(error)) }
}

/// Makes a system call and converts its error to the vault's.
package func systemCall<Value>(_ call: () throws(Errno) -> Value) throws(VaultError) -> Value {
    do throws(Errno) { return try call() } catch { throw VaultError(error) }
}
