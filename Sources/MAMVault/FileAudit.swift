// The audit records about files, and their wording.

package import MAMAudit
internal import MAMFormat
package import MAMModel
internal import MAMStore
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
