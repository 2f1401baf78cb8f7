// Changing a file's owner: by its header, or by writing it anew.

internal import Glibc
package import MAMFormat
internal import MAMKeyring
package import MAMModel
internal import MAMStore
package import MAMSystem

extension Vault {
    /// True for an identity whose files are encrypted here.
    package func isManaged(_ identity: Identity) -> Bool { account(of: identity) != nil }

    /// The owner as it stands in headers: an account's own spelling, else as given.
    package func canonical(_ identity: Identity) -> Identity {
        account(of: identity).map { keyring.identity(of: $0) } ?? identity
    }

    /// Gives a file to an owner of the same kind: managed to managed, or unmanaged to unmanaged.
    /// The header is synced before this returns.
    package func retag(_ file: VaultFile, _ owner: Identity) throws(VaultError) {
        guard let header = file.header else { throw .invalid("the file has no header") }
        if let sealing = header.sealing {
            try rewrap(file, as: owner, asking: sealing.askedClass)
        } else {
            try storing { () throws(StoreError) in
                try file.stored.rewriteOwner(canonical(owner))
            }
            file.headerChanged()
        }
        try systemCall { () throws(Errno) in try file.synchronize(dataOnly: true) }
    }

    /// Logs that a file keeps a class that is not what policy and settings say.
    package func reportStaleClass(of header: FileHeader?, _ error: VaultError) {
        log.warning(
            "a file of \(header?.owner ?? .nobody) could not be given its new class: \(error)")
    }

    /// Logs that a new owner is in place and may not survive a crash.
    package func reportUnsynced(_ error: Errno) {
        log.warning(
            "a file's new owner may not survive a crash: its directory was not synced: \(error)")
    }
}
