// The one table from what went wrong to the errno that a program sees.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMVault

extension VaultError {
    /// Window closed `ENOKEY` · destroyed by a wipe `EKEYREVOKED` · refused by policy or identity `EACCES` · failed authentication `EBADMSG`.
    var errno: Errno {
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
    /// Time that has run out `EKEYEXPIRED` · what a passphrase would mend `ENOKEY` · other rules of policy `EACCES`.
    var errno: Errno {
        switch kind {
        case .recheck, .offline, .offlineWipe: .keyExpired
        case .passphrase, .lockedOut, .signedOut: .noKey
        case .launch, .clockedOut: .accessDenied
        }
    }
}

extension StoreError {
    var errno: Errno {
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
func answering<Value>(_ call: () throws(VaultError) -> Value) throws(Errno) -> Value {
    do throws(VaultError) { return try call() } catch { throw error.errno }
}
