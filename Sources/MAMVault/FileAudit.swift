// The audit records about files, and their wording.

package import MAMAudit
package import MAMFormat
package import MAMModel
package import MAMStore
internal import MAMSystem

/// Writes what happened to files to the log and the audit.
package struct FileAudit: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Records a refused policy document; the log already has it.
    package func auditRefusal(of document: RefusedDocument) {
        _ = vault.sinks.trail.add(
            AuditRecord(.policyRefused, path: document.file, reason: document.reason))
    }

    /// Records a refused open, create, read or write. Cheap when repeated.
    ///
    /// `owner`: the file's, if the error does not include it. `path`: below the mount.
    package func audit(
        refusal error: VaultError, of operation: String, owner: Identity,
        fileClass: ProtectionClass?, file: UInt64, errno: Errno, thread: Int32, user: UInt32,
        path: () -> ByteString?
    ) {
        guard let event = error.event else { return }
        if error.isOfContainment { vault.sinks.metrics.count(.containmentFiles) }
        let owner = error.owner ?? owner
        let key = AuditKey(
            event, user: user, thread: thread, file: file, operation: operation,
            account: owner.description, reason: error.word)
        vault.sinks.trail.add(key) {
            if event == .damaged, operation == "open" {
                vault.log.warning(
                    "\(path()?.shown ?? "a removed file"), a file of \(owner): \(error)")
            }
            var record = AuditRecord(
                event, of: owner.isNobody ? nil : owner.description,
                registrant: vault.registrant(of: owner), path: path()?.shown,
                operation: operation, reason: error.description, rule: error.rule)
            record.fileClass = fileClass?.letter
            record.caller = AuditCaller(
                uid: user, pid: thread > 0 ? processID(ofThread: thread) ?? thread : 0)
            record.errno = errno.rawValue
            return record
        }
    }

    /// Data that was lost after its writer was told that it was stored. Each piece is logged; the
    /// audit has one record per file.
    package func auditLoss(of file: VaultFile, _ text: String) {
        let record = AuditRecord(
            .lost, of: file.owner.description, registrant: vault.registrant(of: file.owner),
            reason: text)
        vault.log.tell(.lost, [.account: file.owner.description], text)
        let number = UInt64(UInt(bitPattern: ObjectIdentifier(file).hashValue))
        vault.sinks.trail.add(AuditKey(.lost, file: number, operation: "write", reason: "")) {
            record
        }
    }

    /// Metadata in the backing directory that the daemon may not have written: in the log and in
    /// the audit, first once and then with the number of repetitions.
    package func auditForgery(_ reason: String, of file: UInt64, at path: ByteString?) {
        let key = AuditKey(.damaged, file: file, operation: "open", reason: reason)
        vault.sinks.trail.add(key) {
            AuditRecord(.damaged, path: path?.shown, operation: "open", reason: reason)
        }
    }
}

extension VaultError {
    /// Nil for failures that are no refusals: the file does not exist, or the disk fails.
    package var event: LogMessage? {
        switch self {
        case .windowClosed, .keyMissing, .keyRevoked, .blocked, .refused: .refused
        case .store(.keyUnavailable): .refused
        case .store(let error): error.isDamage ? .damaged : nil
        case .notFound, .notManaged, .invalid: nil
        }
    }

    /// The account that the error names, if any.
    fileprivate var owner: Identity? {
        switch self {
        case .windowClosed(let owner), .keyMissing(let owner), .keyRevoked(let owner): owner
        case .blocked(let owner, _): owner
        case .refused, .store, .notFound, .notManaged, .invalid: nil
        }
    }

    fileprivate var rule: String? {
        switch self {
        case .blocked(_, let block): block.kind.rawValue
        case .refused(_, _, let rule): rule
        default: nil
        }
    }

    /// Distinguishes reasons without building the sentence, which is needed only for records.
    fileprivate var word: String {
        switch self {
        case .windowClosed: "closed"
        case .keyMissing: "missing"
        case .keyRevoked: "revoked"
        case .blocked(_, let block): block.kind.rawValue
        case .refused: "policy"
        case .store(let error): error.description
        case .notFound, .notManaged, .invalid: ""
        }
    }
}

// Log messages about files.
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
