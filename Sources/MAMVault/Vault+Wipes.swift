// The state of wipes.

internal import Glibc
internal import MAMEnrollment
package import MAMFormat
package import MAMKeyring
internal import MAMModel

extension Vault {
    /// True while an account is being wiped, or its wipe has not completed.
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
    /// By its key; a file from before the account has none and is matched by its owner's name.
    /// Other users can forge either: where several users have files, a file that belongs to another
    /// user on disk is not the account's.
    package func covers(_ file: OwnedHeader) -> Bool {
        if let sealing = file.header.sealing {
            return covers(sealing.keyID) && (isRegistrants(file) || uid == 0 || file.user == 0)
        }
        return identity.matches(file.header.owner) && isRegistrants(file)
    }

    /// A user's own daemon serves only one user.
    private func isRegistrants(_ file: OwnedHeader) -> Bool { file.user == uid || geteuid() != 0 }
}

/// A protected file's header, and the user that owns it in the backing directory.
package struct OwnedHeader: Sendable {
    package let header: FileHeader
    package let user: UInt32

    package init(_ header: FileHeader, user: UInt32) {
        self.header = header
        self.user = user
    }
}
