// A request to protect files of the mount for an owner, and its results.

package import MAMModel
internal import MAMSystem
package import MAMVault

package struct ProtectRequest {
    /// Nobody: removes the protection.
    package let owner: Identity
    /// The call, for files of other owners.
    package let giver: Giver
    /// Skips files that already have this owner and are encrypted as required.
    package let onlyIfOther: Bool
    /// Gets each file's owner and uid.
    package let authorize: (Identity, UInt32) throws(VaultError) -> Void

    package init(
        owner: Identity, giver: Giver, onlyIfOther: Bool,
        authorize: @escaping (Identity, UInt32) throws(VaultError) -> Void
    ) {
        self.owner = owner
        self.giver = giver
        self.onlyIfOther = onlyIfOther
        self.authorize = authorize
    }
}

/// A file and its current protection.
package struct ProtectedFile: Sendable {
    /// Below the top of the tree; empty if the request names one file.
    package let path: ByteString
    package let protection: FileProtection
    package let wasChanged: Bool

    package init(_ path: ByteString, _ protection: FileProtection, _ wasChanged: Bool) {
        self.path = path
        self.protection = protection
        self.wasChanged = wasChanged
    }
}

/// The waiting caller. Called on one thread; false ends the request.
package protocol ProtectListener {
    /// False once the caller is gone: checked before each file and directory.
    var isListening: Bool { get }
    func did(_ file: ProtectedFile) -> Bool
    func failed(_ path: ByteString, _ error: VaultError) -> Bool
}
