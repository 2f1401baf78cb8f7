// Why a file or an account could not be used: each reason has its own errno and exit status at the edges.

package import MAMModel
package import MAMStore
package import MAMSystem

/// The vault's refusals and failures.
package enum VaultError: Error, Sendable {
    /// The account's window is closed for this file's class.
    case windowClosed(Identity)
    /// The key that the file names is not on this device.
    case keyMissing(Identity)
    /// The account is being wiped, or was: the key is destroyed.
    case keyRevoked(Identity)
    /// Policy keeps the account closed.
    case blocked(Identity, AccountBlock)
    /// Policy or identity forbids it; a sentence.
    case refused(String)
    case store(StoreError)
    /// No such file here; a sentence.
    case notFound(String)
    /// Only a managed account's files are encrypted.
    case notManaged(Identity)
    /// The request makes no sense; a sentence.
    case invalid(String)
}

extension VaultError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .windowClosed(let owner):
            "the access window of \(owner) is closed; run: mamctl unlock \(owner)"
        case .keyMissing(let owner):
            "it is encrypted for \(owner), and its key is not on this device;"
                + " run: mamctl account import FILE"
        case .keyRevoked(let owner): "the account \(owner) was wiped: its keys are destroyed"
        case .blocked(let owner, let block): "\(owner) is blocked: \(block.reason)"
        case .notManaged(let owner):
            "\(owner) is not a managed account here; run: mamctl account list"
        case .refused(let reason), .invalid(let reason), .notFound(let reason): reason
        case .store(let error): error.description
        }
    }
}

/// Runs a store call whose failure is the vault's.
@inline(__always)
func storing<Value>(_ call: () throws(StoreError) -> Value) throws(VaultError) -> Value {
    do throws(StoreError) { return try call() } catch { throw .store(error) }
}

extension VaultError {
    /// A system call on the file failed.
    package init(_ error: Errno) { self = .store(.system(error)) }
}

/// Runs a system call whose failure is the vault's.
package func systemCall<Value>(_ call: () throws(Errno) -> Value) throws(VaultError) -> Value {
    do throws(Errno) { return try call() } catch { throw VaultError(error) }
}
