// What is asked of the mount when files are protected for an owner, and what it tells.

package import MAMModel
package import MAMSystem

package struct ProtectRequest {
    /// Nobody takes the protection away.
    package let owner: Identity
    /// Who asks, and must be somebody to whom the content may go.
    package let caller: Identity
    /// What has this owner already, and is encrypted as it needs, is left alone.
    package let onlyIfOther: Bool
    /// Gets each file's owner and the uid that it belongs to.
    package let authorize: (Identity, UInt32) throws(VaultError) -> Void

    package init(
        owner: Identity, caller: Identity, onlyIfOther: Bool,
        authorize: @escaping (Identity, UInt32) throws(VaultError) -> Void
    ) {
        self.owner = owner
        self.caller = caller
        self.onlyIfOther = onlyIfOther
        self.authorize = authorize
    }
}

/// A file, and what is known of it now.
package struct ProtectedFile: Sendable {
    /// Below the top of the tree; empty for the one file that was named.
    package let path: ByteString
    package let protection: ProtectionInfo
    package let wasChanged: Bool

    package init(_ path: ByteString, _ protection: ProtectionInfo, _ wasChanged: Bool) {
        self.path = path
        self.protection = protection
        self.wasChanged = wasChanged
    }
}

/// Who waits for it. Called on one thread; false ends it.
package protocol ProtectListener {
    /// False once nobody waits: asked before each file and directory.
    var isListening: Bool { get }
    func did(_ file: ProtectedFile) -> Bool
    func failed(_ path: ByteString, _ error: VaultError) -> Bool
}
