// Content of an account that gets another owner, or none.

internal import MAMAudit
package import MAMFormat
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem

/// The call that gives content away.
package struct Giver: Sendable {
    /// The identity that the caller acts for, and whether it is contained.
    let found: FoundIdentity
    /// For the audit: a method of the socket.
    let operation: String
    let process: Int32
    let user: UInt32
    /// Root's reason for acting against policy; nil if policy decides.
    package let override: String?

    package init(
        _ found: FoundIdentity, operation: String, process: Int32, user: UInt32,
        override: String? = nil
    ) {
        self.found = found
        self.operation = operation
        self.process = process
        self.user = user
        self.override = override
    }
}

/// Decides by the policies of both sides whether content of an account may get another owner, and
/// records the decision. Every such change asks here before any content moves.
package struct Gift: Sendable {
    private let vault: Vault
    private let giver: Giver

    /// Root acts against policy.
    private var isOverridden: Bool { giver.override != nil }

    package init(_ vault: Vault, by giver: Giver) {
        self.vault = vault
        self.giver = giver
    }

    /// For what this header seals. `path`: for the audit; nil for a pipe. `isCopy`: the caller gets
    /// the content, though it may keep its owner.
    package func check(
        _ header: FileHeader?, to receiver: Identity, isCopy: Bool = false,
        at path: () -> ByteString? = { nil }
    ) throws(VaultError) {
        // Without a known key nothing can be given, and that error is more specific.
        guard let sealing = header?.sealing,
            let account = vault.keyring.account(ofKey: sealing.keyID)
        else { return }
        if isCopy { try checkReading(of: account, at: path) }
        try check(account, to: receiver, at: path)
    }

    /// For a file with this protection.
    package func check(
        _ info: FileProtection, to receiver: Identity, at path: () -> ByteString?
    ) throws(VaultError) {
        guard info.isManaged, let account = vault.account(of: info.owner) else { return }
        try check(account, to: receiver, at: path)
    }

    private func check(
        _ account: AccountID, to receiver: Identity, at path: () -> ByteString?
    ) throws(VaultError) {
        // What changes nothing is no transfer.
        guard vault.account(of: receiver) != account else { return }
        try checkReading(of: account, at: path)
        let (decision, next) = decision(account, receiver)
        let path = path()
        var record = AuditRecord(
            event(of: decision), of: vault.identity(of: account).description,
            registrant: vault.keyring.uid(of: account), path: path?.shown,
            operation: giver.operation, reason: giver.override ?? decision.reason.english,
            rule: decision.rule)
        record.receiver = vault.canonical(receiver).description
        note(record, path)
        guard record.event == .refused else { return }
        vault.sinks.trail.noteRefusal()
        throw Transfers(vault).refused(decision, next: next)
    }

    /// Refuses what is only for contained programs of the account: who may not read it can neither
    /// give it away nor make it plain.
    private func checkReading(
        of account: AccountID, at path: () -> ByteString?
    ) throws(VaultError) {
        guard !isOverridden else { return }
        let containment = Containment(vault)
        do throws(VaultError) {
            try containment.checkReading(of: account, by: giver.found)
        } catch {
            containment.noteRefused(
                giver.operation, of: vault.identity(of: account), by: giver.process,
                user: giver.user, error.description, at: path())
            throw error
        }
    }

    /// The decision, and what a refused caller can run. A caller that may not read cannot give.
    private func decision(_ account: AccountID, _ receiver: Identity) -> (Decision, next: String) {
        let transfers = Transfers(vault)
        if !isOverridden,
            let refusal = transfers.refusal(from: account, to: { giver.found.identity })
        {
            return (refusal, transfers.commandOfOwner(account))
        }
        let owner = transfers.principal(of: vault.identity(of: account))
        return (
            owner.canGive(to: transfers.principal(of: receiver)),
            "mamctl policy show \(owner.identity)"
        )
    }

    private func event(of decision: Decision) -> LogMessage {
        if isOverridden { return .overridden }
        return decision.isAllowed ? .given : .refused
    }

    /// Each file that leaves has its record. Refusals, and data in pipes, whose records would not
    /// differ, are counted when they come again.
    private func note(_ record: AuditRecord, _ path: ByteString?) {
        guard record.event == .refused || path == nil && record.event == .given else {
            let fields = vault.sinks.trail.add(record)
            // The trail writes the journal's lines of frequent events.
            guard record.event == .overridden else { return }
            return vault.log.tell(
                .overridden, fields,
                "root gave content of \(record.account ?? "") away against policy:"
                    + " \(record.reason ?? "")")
        }
        let key = AuditKey(
            record.event, user: giver.user, thread: giver.process,
            file: UInt64(UInt(bitPattern: path?.hashValue ?? 0)), operation: giver.operation,
            account: record.account ?? "",
            reason: "\(record.receiver ?? ""): \(record.reason ?? "")")
        vault.sinks.trail.add(key) { record }
    }
}
