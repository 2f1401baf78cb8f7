// Sealed files whose keys are in no keybag here, such as a restored backup with a new state
// directory.

internal import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Sealed files that no key here opens, as far as a caller may know of them.
package struct UnopenedFiles: Sendable {
    package private(set) var count = 0
    /// The first that was found, below the backing directory.
    package private(set) var example: ByteString?
    /// There are others that the caller may not see.
    package private(set) var hasHidden = false

    package var isEmpty: Bool { count == 0 && !hasHidden }

    fileprivate mutating func note(_ path: () -> ByteString, isTold: Bool) {
        guard isTold else { return hasHidden = true }
        count += 1
        if example == nil { example = path() }
    }
}

/// Finds sealed files whose keys are in no keybag here.
package struct Unopened: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Finds those with names that no account here has. Walks the whole tree.
    ///
    /// `user`: sees only their own files; nil sees all. `shallGoOn`: whether the caller is still
    /// waiting. Never call this from a thread that serves the mount.
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

    /// Which of these names such files have. Walks the whole tree.
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

    /// True if there is no account here, but a sealed file. Only one caller searches at a time, for
    /// at most a second; others get the last result. In a large tree the search may find nothing,
    /// and the advice is that for an empty tree.
    package var needsImport: Bool {
        guard vault.keyring.accounts.isEmpty else { return false }
        return vault.walks.claims.needsImport(findUnopened)
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

    /// Excludes files of an account that is being wiped.
    private func isUnopened(_ header: FileHeader) -> Bool {
        guard let key = header.sealing?.keyID else { return false }
        return vault.keyring.account(ofKey: key) == nil
            && vault.keyring.wipes.first(ofKey: key) == nil
    }
}
