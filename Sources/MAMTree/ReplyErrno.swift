// The one table from what went wrong to the errno that a program sees.

internal import Glibc
internal import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem
package import MAMVault

extension VaultError {
    /// Window closed `ENOKEY` · destroyed by a wipe `EKEYREVOKED` · refused by policy or identity
    /// `EACCES` · failed authentication `EBADMSG`.
    package var errno: Errno {
        switch self {
        case .windowClosed, .keyMissing: .noKey
        case .keyRevoked: .keyRevoked
        case .blocked(_, let block): block.errno
        case .refused, .notManaged: .accessDenied
        case .store(let error): error.errno
        case .invalid: .invalid
        case .notFound: .noEntry
        }
    }
}

extension AccountBlock {
    /// Time that has run out `EKEYEXPIRED` · what a passphrase would repair `ENOKEY` · other rules
    /// of policy `EACCES`.
    package var errno: Errno {
        switch kind {
        case .recheck, .offline, .offlineWipe: .keyExpired
        case .passphrase, .lockedOut, .signedOut: .noKey
        case .launch, .clockedOut: .accessDenied
        }
    }
}

extension StoreError {
    package var errno: Errno {
        switch self {
        case .system(let error): error
        case .damaged, .wrongEnd, .impossibleSize, .unsealed: .badMessage
        case .header(.newerVersion): .notSupported
        case .header: .badMessage
        case .keyUnavailable: .noKey
        case .cipherFailure: .ioError
        }
    }
}

/// Runs a vault call whose failure becomes the program's errno.
@inline(__always)
package func answering<Value>(_ call: () throws(VaultError) -> Value) throws(Errno) -> Value {
    do throws(VaultError) { return try call() } catch { throw error.errno }
}
