// How the machine is, for its organisation. No names of files, no paths.

internal import CShims
internal import Glibc
internal import MAMAudit
internal import MAMFleet
internal import MAMKeyring
internal import MAMLocks
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension FleetReports {
    private static let maximumLevelByteCount = 200

    func status() throws(VarlinkError) -> MachineStatus {
        let now = vault.clock.now.wallSeconds
        // The order is done from here on.
        let diagnostics = diagnosticsOnOrder(at: now)
        return try status(at: now, diagnostics) { _ in true }
    }

    /// What ``status()`` would have now, with the user's accounts alone; no order is done.
    func preview(for user: UInt32) throws(VarlinkError) -> MachineStatus {
        let now = vault.clock.now.wallSeconds
        let isAsked = now < diagnosticsEnd.withLock { $0 } || isAskedForDiagnostics
        // With a plain nil it would be JSON's null.
        return try status(at: now, isAsked ? .some(diagnostics) : .none) { $0.user == user }
    }

    private func status(
        at now: Int64, _ diagnostics: JSONValue?, of isIncluded: (AccountStatus) -> Bool
    ) throws(VarlinkError) -> MachineStatus {
        let (fleet, standing) = try standing()
        let (host, kernel) = Self.system
        var status = MachineStatus(version: productVersion, host: host, workspace: facts.name)
        status.rootSerial = standing.rootDocument.statement.serial
        for (slot, document) in standing.documents {
            status.documents[slot.description] = document.statement.serial
        }
        status.problem = standing.staleness(at: now)?.description
        status.pending = Int64(standing.pending.count)
        status.obeyed = standing.nonces(atMost: MachineStatus.maximumObeyedCount)
        status.late = status.obeyed.filter(standing.late.contains)
        let files = Accounts(vault).openFileCounts
        let accounts = Accounts(vault).all.prefix(MachineStatus.maximumAccountCount)
        status.accounts = accounts.filter(isIncluded).map {
            account($0, files: files[$0.id] ?? 0, now)
        }
        status.verify = lastVerify.report.map {
            let counts = $0.counts
            return .init(
                time: Int64($0.time),
                findings: Int64(
                    counts.left + counts.repaired + counts.quarantined + counts.unchecked
                        + counts.unreadable))
        }
        status.refused = refusals.count(in: vault.sinks.trail, at: now)
        status.contained = mam_landlock_version() != 0 && vault.rules.settings.containment != .off
        status.kernel = kernel
        status.mounted = tree.isServed
        status.facts = machineFacts
        status.diagnostics = diagnostics
        status.suspects = Dictionary(
            uniqueKeysWithValues: fleet.suspects.counts(at: now).map { ($0.rawValue, $1) })
        if !vault.rules.settingsInForce.asked.isEmpty {
            status.settings = Dictionary(
                uniqueKeysWithValues: vault.fleetSettings.map { ($0.key, $0.unmet ?? "") })
        }
        return status
    }

    private func account(
        _ account: AccountStatus, files: Int, _ now: Int64
    ) -> MachineStatus.Account {
        let outlook = Accounts(vault).outlook(of: account.id)
        let isOpen = account.state == .unlocked || account.state == .grace
        var status = MachineStatus.Account(
            id: account.id.bytes, name: account.identity.name, objectID: account.identity.objectID,
            window: account.block != nil ? .blocked : isOpen ? .open : .locked)
        status.blockedBy = account.block?.kind.rawValue
        status.compliant = LaunchChecks(tree).isCompliant(account.id)
        status.level = outlook.policies.map { policies in
            let level = policies.joined(separator: ", ")
            return String(decoding: level.utf8.prefix(Self.maximumLevelByteCount), as: UTF8.self)
        }
        status.checkedIn = outlook.sinceCheckIn.map { now - Int64($0) }
        status.lastUse = Accounts(vault).idle(account.id).map { now - $0.seconds }
        status.files = Int64(files)
        status.reset = PassphraseHelp(tree).reported(account.id)
        return status
    }

    static var system: (host: String, kernel: String) {
        var names = utsname()
        guard uname(&names) == 0 else { return ("", "") }
        return (text(of: names.nodename), text(of: names.release))
    }

    /// A field of `utsname`, which ends with a zero byte.
    private static func text<Field>(of field: Field) -> String {
        withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

// What an order has the next statuses tell about the daemon: counts and states, no names but those
// of settings and counters.
extension FleetReports {
    /// More than one status has them: the first may get lost.
    private static let diagnosticsSeconds: Int64 = 86_400

    /// Nil if no order asks for them.
    private func diagnosticsOnOrder(at now: Int64) -> JSONValue? {
        if let fleet = vault.fleet, Orders(tree).endDiagnostics(of: fleet) {
            diagnosticsEnd.withLock { $0 = now + Self.diagnosticsSeconds }
        }
        guard now < diagnosticsEnd.withLock({ $0 }) else { return nil }
        return diagnostics
    }

    private var isAskedForDiagnostics: Bool {
        let pending = vault.fleet?.standing?.pending ?? [:]
        return pending.values.contains { $0.action == .collectDiagnostics }
    }

    private var diagnostics: JSONValue {
        let keyring = vault.keyring
        let transport = tree.isServed ? tree.transport : nil
        return [
            "counters": .object(vault.sinks.metrics.counters.mapValues { .integer($0) }),
            "settings": .array(
                Settings().keysForNextStart(in: vault.rules.settings).sorted().map { .string($0) }),
            "transport": transport.map { .string($0.way.rawValue) } ?? .null,
            "readOnly": .bool(tree.isReadOnly), "openFiles": JSONValue(vault.openFileCount),
            "refusedDocuments": JSONValue(vault.refusedDocuments.count),
            "unreadableKeybags": JSONValue(keyring.unreadableKeybags.count),
            "unfinishedWipes": JSONValue(keyring.wipes.all.count),
            "needsImport": .bool(Unopened(tree).needsImport),
        ]
    }
}

extension AuditRecord {
    /// Of documents that are refused the status tells on its own: most come too late, or by a clock
    /// that is wrong, and nobody has asked for anything.
    fileprivate var isRefusedAccess: Bool {
        event == .refused && operation != Varlink.Fleet.Method.deliver.operation
    }
}

extension Varlink.Fleet.Method {
    fileprivate var operation: String { "Fleet.\(rawValue)" }
}

/// Counts by hours, and reads only what is new of the audit.
final class RefusalCount: Sendable {
    private let state = Guarded(State())

    private struct State {
        var sequence: Int64 = 0
        var byHour: [Int64: Int64] = [:]
    }

    private static let hours: Int64 = 7 * 24
    private static let batchCount = 5000

    /// Of the last seven days. `now`: seconds since 1970.
    func count(in trail: AuditTrail, at now: Int64) -> Int64 {
        state.withLock { state in
            let first = now / 3600 - Self.hours
            while let found = try? trail.records(after: state.sequence, atMost: Self.batchCount),
                let last = found.records.last
            {
                for record in found.records where record.isRefusedAccess {
                    let hour = record.time.milliseconds / 3_600_000
                    if hour > first { state.byHour[hour, default: 0] += Int64(record.count) }
                }
                state.sequence = last.sequence
            }
            state.byHour = state.byHour.filter { $0.key > first }
            return state.byHour.values.reduce(0, +)
        }
    }
}
