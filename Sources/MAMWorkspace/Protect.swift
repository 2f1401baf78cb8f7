// Protects files and whole directories for an owner.

internal import Glibc
package import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

/// Gives a file, or all files in a directory, to an owner.
package struct Protect: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func protect(
        _ descriptor: Descriptor, for request: ProtectRequest, _ listener: any ProtectListener
    ) throws(VaultError) {
        let inode = try Classes(tree).changeableInode(descriptor)
        guard inode.isDirectory else {
            // Any of its links will do.
            let changed = try protect(
                inode,
                at: { () throws(VaultError) in try Owners(tree).place(of: inode, descriptor) },
                request)
            _ = listener.did(
                ProtectedFile(
                    path: ByteString(""), protection: Answers(tree).protection(of: inode),
                    wasChanged: changed))
            return
        }
        try protectDirectory(inode, request)
        var isWanted = true
        // The contents of another owner's directory must not be disclosed to the caller.
        var isRefused = false
        _ = Walk(tree).walk(
            from: inode, at: shownPath(of: descriptor),
            while: {
                // Stop asking once nobody waits.
                isWanted = isWanted && !tree.isStopping && listener.isListening
                return isWanted
            }
        ) { path, error in
            isWanted = listener.failed(path, VaultError(error)) && isWanted
        } enters: {
            !isRefused
        } _: { found in
            isRefused = false
            isWanted = visit(found, request, listener, &isRefused)
            return isWanted
        }
        guard isWanted else { throw VaultError(.canceled) }
    }

    /// False once the listener ends the request.
    private func visit(
        _ found: WalkedEntry, _ request: ProtectRequest, _ listener: any ProtectListener,
        _ isRefused: inout Bool
    ) -> Bool {
        let inode = found.entry.inode
        do throws(VaultError) {
            if inode.isDirectory {
                try protectDirectory(inode, request)
                return true
            }
            guard inode.isRegular else { return true }
            let changed = try protect(
                inode,
                at: { () throws(VaultError) in EntryLocation(found) }, request)
            return listener.did(
                ProtectedFile(
                    path: found.path, protection: Answers(tree).protection(of: inode),
                    wasChanged: changed))
        } catch {
            if case .refused = error { isRefused = true }
            return listener.failed(found.path, error)
        }
    }

    /// True if the file was changed.
    private func protect(
        _ inode: Inode, at place: () throws(VaultError) -> EntryLocation, _ request: ProtectRequest
    ) throws(VaultError) -> Bool {
        guard inode.isRegular else { throw .invalid("it is neither a file nor a directory") }
        let current = Answers(tree).protection(of: inode)
        let isThere =
            current.owner.matches(request.owner)
            && current.isManaged == tree.vault.isManaged(request.owner)
            && (current.state != .foreign || request.owner.isNobody)
        if request.onlyIfOther, isThere { return false }
        try request.authorize(current.owner, try user(of: inode))
        try Owners(tree).give(inode, at: place, to: request.owner, by: request.giver)
        return true
    }

    private func protectDirectory(
        _ inode: Inode, _ request: ProtectRequest
    ) throws(VaultError) {
        try request.authorize(
            DirectoryDefaults(tree).childOwner(of: inode) ?? .nobody, try user(of: inode))
        let owner = request.owner.isNobody ? nil : request.owner
        try systemCall { () throws(Errno) in
            let note = DirectoryDefaults(tree).childOwnerNote(of: inode)
            if note?.value.description != owner?.description || note?.isProved == false {
                try DirectoryDefaults(tree).setChildOwner(owner, of: inode)
            }
        }
    }

    /// For messages. A directory too deep for a path is shown by the paths below it alone.
    private func shownPath(of descriptor: Descriptor) -> ByteString {
        do throws(VaultError) {
            return try Verify(tree).relativePath(ofMemberOfTree: descriptor) ?? ByteString("")
        } catch { return ByteString("…") }
    }

    private func user(of inode: Inode) throws(VaultError) -> UInt32 {
        try systemCall { () throws(Errno) in try status(at: inode.handle.raw, "").st_uid }
    }
}

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
}

/// The waiting caller. Called on one thread; false ends the request.
package protocol ProtectListener {
    /// False once the caller is gone: checked before each file and directory.
    var isListening: Bool { get }
    func did(_ file: ProtectedFile) -> Bool
    func failed(_ path: ByteString, _ error: VaultError) -> Bool
}
