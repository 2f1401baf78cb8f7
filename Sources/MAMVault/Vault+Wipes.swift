// What is being wiped.

internal import Glibc
internal import MAMEnrollment
package import MAMFormat
package import MAMKeyring
internal import MAMModel

extension Vault {
    /// True while an account is being wiped, or one could not be wiped to the end.
    package var isWiping: Bool { !keyring.wipes.isEmpty }

    /// True for a file that a wipe is about to remove.
    package func isBeingWiped(_ file: OwnedHeader) -> Bool {
        keyring.wipes.all.contains { $0.covers(file) }
    }

    /// True if no account here has the key of a file with this header.
    package func isKeyGone(_ header: FileHeader?) -> Bool {
        header?.sealing.map { keyring.account(ofKey: $0.keyID) == nil } ?? false
    }
}

extension WipeIntent {
    /// By its key; a file from before the account has none, and goes by its owner's name. Both
    /// can be written into a header, or claimed, by others: where several users have files, one
    /// that is another's on the disk is not the account's.
    package func covers(_ file: OwnedHeader) -> Bool {
        if let sealing = file.header.sealing {
            return covers(sealing.keyID) && (isRegistrants(file) || uid == 0 || file.user == 0)
        }
        return identity.matches(file.header.owner) && isRegistrants(file)
    }

    /// A user's own daemon has one user.
    private func isRegistrants(_ file: OwnedHeader) -> Bool { file.user == uid || geteuid() != 0 }
}
