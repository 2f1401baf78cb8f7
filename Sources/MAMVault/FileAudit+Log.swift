// Log messages about files.

internal import MAMAudit
package import MAMFormat
package import MAMModel
package import MAMStore
internal import MAMSystem

extension FileAudit {
    /// An automatic repair after an unclean end: in the log and in the audit.
    package func reportRecovery(of path: ByteString, owner: Identity, _ what: String) {
        vault.log.warning(
            "\(path.shown), a file of \(owner), was left unfinished by a crash: \(what)")
        auditEnd(of: owner, at: path.shown, "recovery", what)
    }

    /// A file was opened although its size contradicts its last block.
    package func reportUncertainEnd(of file: VaultFile) {
        let reason = "its end is uncertain after a crash or a failed call; it is shown as it is"
        vault.log.warning("a file of \(file.owner): \(reason)")
        auditEnd(of: file.owner, at: nil, "open", reason)
    }

    private func auditEnd(
        of owner: Identity, at path: String?, _ operation: String, _ reason: String
    ) {
        _ = vault.sinks.trail.add(
            AuditRecord(
                .damaged, of: owner.description, registrant: vault.registrant(of: owner),
                path: path, operation: operation, reason: reason))
    }

    /// True if a failed call may have left a file incomplete, as a crash does.
    package var mayHaveUnfinishedFiles: Bool {
        vault.openFiles.uncertainEnds.hasLeftUnfinished
            || vault.openFiles.all.contains(where: \.stored.isUnfinished)
    }

    /// Logs cached data that could not be stored.
    package func reportDiscarded(
        _ count: Int, at offset: Int64, of file: VaultFile, _ error: VaultError
    ) {
        auditLoss(
            of: file,
            "lost: \(counted(count, "byte")) at \(offset), written to a file of \(file.owner):"
                + " \(error)"
        )
    }

    package func reportUnfinished(_ file: VaultFile, _ error: StoreError) {
        vault.log.warning(
            "a file of \(file.owner) was closed before all was stored and synced: \(error)")
    }

    /// Logs damage when it is found; returns the error as the vault's.
    package func reported(_ error: StoreError, owner: Identity) -> VaultError {
        if error.isDamage {
            vault.sinks.metrics.count(.damagedBlocks)
            vault.log.warning("a file of \(owner): \(error)")
        }
        return .store(error)
    }

    /// Logs that a file keeps a class that contradicts policy and settings.
    package func reportStaleClass(of header: FileHeader?, _ error: VaultError) {
        vault.log.warning(
            "a file of \(header?.owner ?? .nobody) could not be given its new class: \(error)")
    }

    /// Logs that a new owner is in place but may not survive a crash.
    package func reportUnsynced(_ error: Errno) {
        vault.log.warning(
            "a file's new owner may not survive a crash: its directory was not synced: \(error)")
    }

    /// A file that can only be restored, or rewritten, which gives it another key.
    package func reportKeptKey(of path: ByteString, _ header: FileHeader, _ damage: StoreError) {
        vault.log.warning(
            "\(path.shown), a file of \(header.owner), keeps its key from before: \(damage)")
    }

    /// Logs how many files got new keys, and how many (`left`) could not.
    package func reportSealedAnew(_ count: Int, left: Int, _ reason: VaultError?) {
        if count > 0 {
            let files = counted(count, "file")
            vault.log.info("sealed anew, under keys that no old bytes open: \(files)")
        }
        guard left > 0, let reason else { return }
        vault.log.warning(
            "files that keep the keys from before, to be tried again at the next unlock: \(left): "
                + "\(reason)"
        )
    }
}
