// Sealed files whose keys no keybag here has: a backup under another state directory has nothing
// else.

internal import MAMFormat
internal import MAMKeyring
package import MAMModel
package import MAMSystem
internal import Synchronization

/// Sealed files that no key here opens.
package struct UnopenedFiles: Sendable {
    package fileprivate(set) var count = 0
    /// The first that was met, below the backing directory.
    package fileprivate(set) var example = ByteString("")
}

extension Vault {
    /// Those that carry a name which no account here has. Goes through the whole tree.
    ///
    /// `shallGoOn`: whether the caller still waits. Never call this from a thread that serves the
    /// mount.
    package func unopenedFiles(
        of identity: Identity, while shallGoOn: () -> Bool
    ) -> UnopenedFiles {
        var found = UnopenedFiles()
        guard keyring.account(claimedBy: identity) == nil else { return found }
        _ = hasClaim(while: shallGoOn) { claim in
            guard case .file(let file, let path, _) = claim, isUnopened(file.header),
                identity.isCalled(by: file.header.owner)
            else { return false }
            if found.count == 0 { found.example = path() }
            found.count += 1
            return false
        }
        return found
    }

    /// True if there is no account here, and yet a sealed file. Whoever asks waits a second at most,
    /// once: in a larger tree nothing may be found, and the advice is that for an empty one.
    package var needsImport: Bool {
        guard keyring.accounts.isEmpty else { return false }
        return hasUnopened.withLock { known in
            if let known { return known }
            let deadline = Deadline(milliseconds: 1000)
            let isFound = mount?.hasClaim(
                where: { claim in
                    guard case .file(let file, _, _) = claim else { return false }
                    return isUnopened(file.header)
                }, while: { !deadline.hasPassed })
            known = isFound
            return isFound ?? false
        }
    }

    /// Files of an account that is being wiped are not to be opened again.
    private func isUnopened(_ header: FileHeader) -> Bool {
        guard let key = header.sealing?.keyID else { return false }
        return keyring.account(ofKey: key) == nil && keyring.wipe(ofKey: key) == nil
    }
}
