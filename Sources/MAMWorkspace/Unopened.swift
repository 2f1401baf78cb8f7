// Sealed files whose keys no keybag here has: a backup under another state directory has nothing
// else.

internal import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMSystem
package import MAMTree
internal import MAMVault
internal import Synchronization

/// Sealed files that no key here opens, as far as a caller may know of them.
package struct UnopenedFiles: Sendable {
    package private(set) var count = 0
    /// The first that was met, below the backing directory.
    package private(set) var example: ByteString?
    /// There are some of which the caller learns no more.
    package private(set) var hasHidden = false

    package var isEmpty: Bool { count == 0 && !hasHidden }

    fileprivate mutating func note(_ path: () -> ByteString, isTold: Bool) {
        guard isTold else { return hasHidden = true }
        count += 1
        if example == nil { example = path() }
    }
}

/// Looks for sealed files whose keys no keybag here has.
package struct Unopened: Sendable {
    let tree: Tree
    var vault: Vault { tree.vault }

    package init(_ tree: Tree) { self.tree = tree }

    /// Those that carry a name which no account here has. Goes through the whole tree.
    ///
    /// `user`: who is told of their own files alone; nil is told of all. `shallGoOn`: whether the
    /// caller still waits. Never call this from a thread that serves the mount.
    package func unopenedFiles(
        of identity: Identity, toldTo user: UInt32?, while shallGoOn: () -> Bool
    ) throws(SearchEnd) -> UnopenedFiles {
        var found = UnopenedFiles()
        guard vault.keyring.account(claimedBy: identity) == nil else { return found }
        _ = try Claims(tree).hasClaim(for: user ?? 0, while: shallGoOn) { claim in
            guard case .file(let file, let path, _) = claim, isUnopened(file.header),
                identity.isCalled(by: file.header.owner)
            else { return false }
            found.note(path, isTold: user == nil || user == file.user)
            return false
        }
        return found
    }

    /// Which of these names such files carry. Goes through the whole tree.
    func namesOfUnopenedFiles(
        among identities: [Identity]
    ) throws(SearchEnd) -> Set<String> {
        var found: Set<String> = []
        _ = try Claims(tree).hasClaim(for: 0, while: { true }) { claim in
            guard case .file(let file, _, _) = claim, isUnopened(file.header) else { return false }
            for identity in identities where identity.isCalled(by: file.header.owner) {
                found.insert(identity.name)
            }
            return false
        }
        return found
    }

    /// True if there is no account here, and yet a sealed file. One caller searches at a time, for
    /// a second at most; all others get what the last search found. In a larger tree nothing may be
    /// found, and the advice is that for an empty one.
    package var needsImport: Bool {
        guard vault.keyring.accounts.isEmpty else { return false }
        if vault.importNeed.withLock({ $0.beginSearch() }) {
            let found = findUnopened()
            vault.importNeed.withLock { $0.endSearch(found) }
        }
        return vault.importNeed.withLock(\.isFound)
    }

    private func findUnopened() -> Bool? {
        let deadline = Deadline(seconds: 1)
        guard tree.isServed else { return nil }
        return Claims(tree).hasClaim(
            where: { claim in
                guard case .file(let file, _, _) = claim else { return false }
                return isUnopened(file.header)
            }, while: { !deadline.hasPassed }, failed: { _, _ in })
    }

    /// Files of an account that is being wiped are not to be opened again.
    private func isUnopened(_ header: FileHeader) -> Bool {
        guard let key = header.sealing?.keyID else { return false }
        return vault.keyring.account(ofKey: key) == nil
            && vault.keyring.wipes.first(ofKey: key) == nil
    }
}
