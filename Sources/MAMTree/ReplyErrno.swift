// The table of failures and the errno that programs see.

internal import Glibc
internal import MAMFormat
package import MAMModel
package import MAMStore
internal import MAMSystem
package import MAMVault

extension VaultError {
    /// Window closed `ENOKEY` · key destroyed by a wipe `EKEYREVOKED` · refused by policy or
    /// identity `EACCES` · not authentic `EBADMSG`.
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
    /// Expired `EKEYEXPIRED` · a passphrase would help `ENOKEY` · other policy rules `EACCES`.
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

/// Makes a vault call and turns its failure into the program's errno.
@inline(__always)
package func answering<Value>(_ call: () throws(VaultError) -> Value) throws(Errno) -> Value {
    do throws(VaultError) { return try call() } catch { throw error.errno }
}
