// What the audit is told, and in which words.

internal import MAMAudit
internal import MAMFormat
package import MAMModel
internal import MAMStore
package import MAMSystem

/// Tells the log and the audit what happened to files.
package struct FileAudit: Sendable {
    package let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// A document of the policy directory; the log has its line already.
    package func auditRefusal(of document: RefusedDocument) {
        var record = AuditRecord(.policyRefused)
        record.path = document.file
        record.reason = document.reason
        _ = vault.trail.add(record)
    }

    /// A file that was not opened, made, read or written as somebody wanted. Costs next to nothing
    /// when it comes again.
    ///
    /// `owner`: whose the file is, if the error does not say it. `path`: below the mount.
    package func audit(
        refusal error: VaultError, of operation: String, owner: Identity,
        fileClass: ProtectionClass?, file: UInt64, errno: Errno, thread: Int32, user: UInt32,
        path: () -> ByteString?
    ) {
        guard let event = error.event else { return }
        let owner = error.owner ?? owner
        let key = AuditKey(
            event, thread: thread, file: file, operation: operation, account: owner.description,
            reason: error.word)
        vault.trail.add(key) {
            if event == .damaged, operation == "open" {
                vault.log.warning(
                    "\(path()?.shown ?? "a removed file"), a file of \(owner): \(error)")
            }
            var record = refusal(error, event, of: operation, owner: owner)
            record.fileClass = fileClass?.letter
            record.caller = AuditCaller(
                uid: user, pid: thread > 0 ? processID(ofThread: thread) ?? thread : 0)
            record.path = path()?.shown
            record.errno = errno.rawValue
            return record
        }
    }

    /// Content that its writer took for stored. Each piece is logged; the audit has one record for
    /// all of a file's.
    package func auditLoss(of file: VaultFile, _ text: String) {
        var record = AuditRecord(.lost)
        record.account = file.owner.description
        record.registrant = vault.registrant(of: file.owner)
        record.reason = text
        vault.log.tell(.lost, [.account: file.owner.description], text)
        let number = UInt64(UInt(bitPattern: ObjectIdentifier(file).hashValue))
        vault.trail.add(AuditKey(.lost, thread: 0, file: number, operation: "write", reason: "")) {
            record
        }
    }

    /// What a check found damaged.
    package func audit(_ finding: Finding) {
        guard finding.problem.isDamage else { return }
        let place = finding.path.shown
        vault.trail.add(
            AuditKey(.damaged, thread: 0, operation: place, reason: finding.problem.rawValue)
        ) {
            var record = AuditRecord(.damaged)
            record.operation = "Workspace.Verify"
            record.path = finding.place == .backing ? place : "state: \(place)"
            record.reason = finding.reason
            return record
        }
    }

    private func refusal(
        _ error: VaultError, _ event: LogMessage, of operation: String, owner: Identity
    ) -> AuditRecord {
        var record = AuditRecord(event)
        record.operation = operation
        record.account = owner.isNobody ? nil : owner.description
        record.registrant = vault.registrant(of: owner)
        record.reason = error.description
        if case .blocked(_, let block) = error { record.rule = block.kind.rawValue }
        return record
    }

    /// Something in the backing directory that is not known to be the daemon's own: in the log and
    /// the audit, once and then how often it came again.
    package func auditForgery(_ reason: String, of file: UInt64, at path: ByteString?) {
        let key = AuditKey(.damaged, thread: 0, file: file, operation: "open", reason: reason)
        vault.trail.add(key) {
            var record = AuditRecord(.damaged)
            record.operation = "open"
            record.path = path?.shown
            record.reason = reason
            return record
        }
    }
}

extension VaultError {
    /// Nil for what is no refusal: the file is not there, or the disk fails.
    package var event: LogMessage? {
        switch self {
        case .windowClosed, .keyMissing, .keyRevoked, .blocked, .refused: .refused
        case .store(.keyUnavailable): .refused
        case .store(let error): error.isDamage ? .damaged : nil
        case .notFound, .notManaged, .invalid: nil
        }
    }

    /// Whose account is in the way, where that is told.
    fileprivate var owner: Identity? {
        switch self {
        case .windowClosed(let owner), .keyMissing(let owner), .keyRevoked(let owner): owner
        case .blocked(let owner, _): owner
        case .refused, .store, .notFound, .notManaged, .invalid: nil
        }
    }

    /// Tells apart what is not the same reason; the sentence is made only for what is told.
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

extension Finding.Problem {
    /// The bytes on the disk are at fault.
    fileprivate var isDamage: Bool {
        switch self {
        case .header, .size, .blocks, .lost, .zeros, .tail, .end, .unsealed, .unproved, .keybag:
            true
        case .newer, .keyMissing, .unreadable, .foreign, .directoryClass, .directoryOwner,
            .leftover, .wipe:
            false
        }
    }
}
