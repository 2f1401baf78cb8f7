// What the machine reports to its organisation: made and signed.

internal import MAMAudit
internal import MAMCrypto
internal import MAMFleet
internal import MAMFormat
internal import MAMKeyring
internal import MAMLocks
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault
internal import MAMWire
internal import Synchronization

/// Signs with the machine's key, which never leaves this process.
package final class FleetReports: VaultService {
    package let tree: Tree
    let facts: WorkspaceFacts
    let lastVerify: LastVerify
    let refusals = RefusalCount()
    /// An unchanged record gives the same bytes, so that a carrier need not send it again.
    private let records = Guarded<[String: Kept]>([:])

    /// Until when a status has diagnostics, in seconds since 1970.
    let diagnosticsEnd = Guarded<Int64>(0)
    private let lastStatus = Guarded<(organization: Bytes16, time: Int64)?>(nil)

    private struct Kept: Equatable {
        let content: RecordReport
        let organization: Bytes16
        let report: String
    }

    package init(_ facts: WorkspaceFacts, tree: Tree, lastVerify: LastVerify) {
        (self.facts, self.tree, self.lastVerify) = (facts, tree, lastVerify)
    }

    static let notJoined = VarlinkError.refused("this workspace has joined no organisation")

    func standing() throws(VarlinkError) -> (Fleet, MachineStanding) {
        guard let fleet = vault.fleet, let standing = fleet.standing else { throw Self.notJoined }
        return (fleet, standing)
    }

    func machineSeed(for organization: Bytes16) throws(VarlinkError) -> SecretBytes {
        try keyed("the machine's key") { () throws(KeyringError) in
            try vault.keyring.machineSeed(for: organization)
        }
    }

    func machineKey(for organization: Bytes16) throws(VarlinkError) -> [UInt8] {
        guard let publicKey = Ed25519.publicKey(ofSeed: try machineSeed(for: organization)) else {
            throw .refused("the device secret was erased")
        }
        return publicKey
    }

    /// One line of JSON.
    func signed(_ content: ReportContent) throws(VarlinkError) -> String {
        let (fleet, standing) = try standing()
        let seed = try machineSeed(for: standing.organization)
        let now = vault.clock.now.wallSeconds
        let sequence: Int64
        do throws(FleetError) { sequence = try fleet.sequence.next(at: now) } catch {
            throw .refused("the number of a report is not stored: \(error)")
        }
        let report = MachineReport(
            content, organization: standing.organization, issued: now, sequence: sequence,
            signedWith: seed)
        guard let report else { throw .refused("the report is too large, or the key was erased") }
        return String(decoding: report.envelope.encoded(), as: UTF8.self)
    }

    // MARK: The status

    func signedStatus() throws(VarlinkError) -> String {
        let report = try signed(.status(try status()))
        let organization = try standing().1.organization
        let now = vault.clock.now.wallSeconds
        lastStatus.withLock { $0 = (organization, now) }
        return report
    }

    /// When the organisation's last status was signed, in seconds since 1970; nil: not since the
    /// daemon started.
    func lastStatusTime() throws(VarlinkError) -> Int64? {
        let organization = try standing().1.organization
        return lastStatus.withLock { $0?.organization == organization ? $0?.time : nil }
    }

    // MARK: Recovery records

    /// A report for each current record, with the account's id.
    func recoveryRecords() throws(VarlinkError) -> [(account: Bytes16, report: String)] {
        let organization = try standing().1.organization
        var found: [(Bytes16, String)] = []
        var kept: [String: Kept] = [:]
        let known = records.withLock { $0 }
        for account in vault.keyring.accounts {
            for (name, content) in try contents(of: account, for: organization) {
                if let old = known[name], old.content == content, old.organization == organization {
                    kept[name] = old
                } else {
                    kept[name] = Kept(
                        content: content, organization: organization,
                        report: try signed(.recoveryRecord(content)))
                }
                found.append((account.bytes, kept[name]?.report ?? ""))
            }
        }
        records.withLock { [kept] in $0 = kept }
        return found
    }

    /// Held as in ``RecoveryUpdates``: a wipe that has begun leaves none.
    private func contents(
        of account: AccountID, for organization: Bytes16
    ) throws(VarlinkError) -> [(name: String, RecordReport)] {
        let name = vault.identity(of: account).name
        let entries: [RecoveryRecords.Entry]
        do throws(Errno) {
            entries = try vault.keyring.recovery.records.withLock { records throws(Errno) in
                try records?.entries(of: account) ?? []
            }
        } catch { throw .systemError(error, "the recovery records") }
        return entries.compactMap { entry in
            guard let record = entry.record, let key = entry.recoveryKey,
                let proof = vault.keyring.recovery.proof(
                    of: record, of: account, for: organization)
            else { return nil }
            return (
                entry.name,
                RecordReport(
                    account: account.bytes, name: name, recoveryKey: key.shortName,
                    record: record.bytes, proof: proof)
            )
        }
    }

    // MARK: The audit

    static let maximumRecordCount = 1000
    /// With base64 around it the report must fit into a message.
    private static let auditByteCount = 256 << 10

    /// Nil if nothing is newer.
    func audit(after: Int64, atMost limit: Int) throws(VarlinkError) -> (report: String?, Int64) {
        let found: (records: [AuditRecord], last: Int64)
        do throws(Errno) {
            found = try vault.sinks.trail.records(
                after: after, atMost: min(limit, Self.maximumRecordCount))
        } catch { throw .systemError(error, "the audit") }
        var byteCount = 0
        var records: [JSONValue] = []
        for record in found.records {
            let json = JSONValue.object(record.members.filter { $0.value != .null })
            byteCount += json.encoded().count + 1
            guard records.isEmpty || byteCount <= Self.auditByteCount else { break }
            records.append(json)
        }
        guard let batch = AuditBatch(after: after, records) else { return (nil, found.last) }
        return (try signed(.audit(batch)), found.last)
    }
}
