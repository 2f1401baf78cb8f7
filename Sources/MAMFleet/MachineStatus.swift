// The state of a machine as it reports it, without names of files and paths.

package import MAMModel

package struct MachineStatus: Sendable, Equatable {
    package var version: String
    package var host: String
    package var workspace: String
    package var rootSerial: Int64 = 0
    /// The serials of the accepted documents, by slot.
    package var documents: [String: Int64] = [:]
    /// Why a check-in would not count now.
    package var problem: String?
    /// The number of orders that are not done yet.
    package var pending: Int64 = 0
    /// Nonces of orders that were accepted, the newest hundred.
    package var obeyed: [String] = []
    /// Those of them that came when nobody waited for them any more.
    package var late: [String] = []
    package var accounts: [Account] = []
    /// The last verify of the whole workspace; nil if there was none.
    package var verify: Check?
    /// Refused accesses of the last seven days.
    package var refused: Int64 = 0
    /// Whether this machine can contain programs.
    package var contained = false
    package var kernel = ""
    package var mounted = false
    /// Counts and names of settings; nil unless an order asked for it.
    package var diagnostics: JSONValue?
    /// Documents of the last seven days that nobody sends by mistake, by ``Refusal/Kind``. Missing
    /// if there were none.
    package var suspects: [String: Int64] = [:]
    /// Nil if an earlier mamd reports, which tells none.
    package var facts: Facts?

    /// What compliance asks about the machine itself.
    package struct Facts: Sendable, Equatable {
        /// Of os-release(5), such as `debian 13`; empty if it has none.
        package var system: String
        /// Whether the store is on dm-crypt; nil if that is not known.
        package var isEncrypted: Bool?
        /// Updates that are installed wait for a restart.
        package var needsRestart: Bool

        package init(system: String, isEncrypted: Bool?, needsRestart: Bool) {
            (self.system, self.isEncrypted) = (system, isEncrypted)
            self.needsRestart = needsRestart
        }
    }
    /// What is asked of the settings, and why the machine does not do it; an empty text: it does.
    /// Nil, and missing, without a document that asks.
    package var settings: [String: String]?

    package struct Account: Sendable, Equatable {
        package var id: Bytes16
        package var name: String
        package var objectID: String
        package var window: Window
        /// Nil if it is not blocked.
        package var blockedBy: String?
        package var compliant = false
        package var level: String?
        /// In seconds since 1970, as ``lastUse``; nil if it never was, or if that is not known.
        package var checkedIn: Int64?
        package var lastUse: Int64?
        /// The number of open files.
        package var files: Int64?
        /// Somebody has forgotten the passphrase, and asks for help.
        package var reset: ResetRequest?

        package init(id: Bytes16, name: String, objectID: String, window: Window) {
            (self.id, self.name, self.objectID, self.window) = (id, name, objectID, window)
        }
    }

    package enum Window: String, Sendable, CaseIterable {
        case open, locked, blocked
    }

    package struct Check: Sendable, Equatable {
        package var time: Int64
        package var findings: Int64

        package init(time: Int64, findings: Int64) { (self.time, self.findings) = (time, findings) }
    }

    package static let maximumObeyedCount = 100
    /// Of more accounts than this a machine tells no more.
    package static let maximumAccountCount = 500

    package init(version: String, host: String, workspace: String) {
        (self.version, self.host, self.workspace) = (version, host, workspace)
    }
}

extension MachineStatus {
    /// As the report has them.
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "version": .string(version), "host": .string(host), "workspace": .string(workspace),
            "rootSerial": .integer(rootSerial),
            "documents": .object(documents.mapValues { .integer($0) }),
            "problem": JSONValue(problem), "pending": .integer(pending),
            "obeyed": JSONValue(texts: obeyed),
            "accounts": .array(accounts.map(\.json)), "verify": verify?.json ?? .null,
            "refused": .integer(refused), "contained": .bool(contained),
            "kernel": .string(kernel), "mounted": .bool(mounted),
        ]
        members["diagnostics"] = diagnostics
        if !late.isEmpty { members["late"] = JSONValue(texts: late) }
        members["facts"] = facts?.json
        if !suspects.isEmpty {
            members["suspects"] = .object(suspects.mapValues { .integer($0) })
        }
        if let settings { members["settings"] = .object(settings.mapValues { .string($0) }) }
        return members
    }

    init(_ members: inout Members) throws(Refusal) {
        self.init(
            version: try members.text("version"), host: try members.text("host"),
            workspace: try members.text("workspace"))
        rootSerial = try members.take("rootSerial", "a number", count)
        documents = try members.take("documents", "documents and serials") { $0.members(count) }
        problem = try members.takeOptional("problem", "a text") { $0.text }
        pending = try members.take("pending", "a number", count)
        obeyed = try members.take("obeyed", "a list of nonces") { json in
            json.elements(\.text).flatMap { $0.count <= Self.maximumObeyedCount ? $0 : nil }
        }
        late = try members.takeOptional("late", "a list of nonces") { $0.elements(\.text) } ?? []
        for json in try members.take("accounts", "a list", { $0.array }) {
            accounts.append(try Account(json))
        }
        if let json = try members.takeOptional("verify", "an object", { $0 }) {
            verify = try Check(json)
        }
        refused = try members.take("refused", "a number", count)
        contained = try members.take("contained", "true or false") { $0.bool }
        kernel = try members.text("kernel")
        mounted = try members.take("mounted", "true or false") { $0.bool }
        diagnostics = try members.takeOptional("diagnostics", "an object") {
            $0.object == nil ? nil : $0
        }
        suspects =
            try members.takeOptional("suspects", "numbers of documents") { $0.members(count) }
            ?? [:]
        if let json = try members.takeOptional("facts", "an object", { $0 }) {
            facts = try Facts(json)
        }
        settings = try members.takeOptional("settings", "settings and texts") { $0.members(\.text) }
    }
}

/// Unknown members are ignored here, too.
extension MachineStatus.Facts {
    fileprivate var json: JSONValue {
        [
            "system": .string(system), "encrypted": isEncrypted.map { .bool($0) } ?? .null,
            "restartRequired": .bool(needsRestart),
        ]
    }

    fileprivate init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "the report's facts")
        system = try members.text("system")
        isEncrypted = try members.takeOptional("encrypted", "true or false") { $0.bool }
        needsRestart = try members.take("restartRequired", "true or false") { $0.bool }
    }
}

/// Unknown members, which a later version may add, are ignored: nothing is decided by them.
extension MachineStatus.Account {
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id.description), "name": .string(name), "objectId": .string(objectID),
            "window": .string(window.rawValue),
            "blockedBy": JSONValue(blockedBy), "compliant": .bool(compliant),
            "checkedIn": JSONValue(checkedIn.map(rfc3339)),
        ]
        if let level { members["level"] = .string(level) }
        if let lastUse { members["lastUse"] = .string(rfc3339(lastUse)) }
        if let files { members["files"] = .integer(files) }
        members["reset"] = reset?.json
        return .object(members)
    }

    fileprivate init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "an account of the report")
        self.init(
            id: try members.id("id"), name: try members.text("name"),
            objectID: try members.text("objectId"),
            window: try members.take("window", "open, locked or blocked") {
                $0.text.flatMap(MachineStatus.Window.init(rawValue:))
            })
        blockedBy = try members.takeOptional("blockedBy", "a text") { $0.text }
        compliant = try members.take("compliant", "true or false") { $0.bool }
        level = try members.takeOptional("level", "a text") { $0.text }
        checkedIn = try members.takeOptional("checkedIn", "a time in UTC", timestamp)
        lastUse = try members.takeOptional("lastUse", "a time in UTC", timestamp)
        files = try members.takeOptional("files", "a number", count)
        if let json = try members.takeOptional("reset", "an object", { $0 }) {
            reset = try ResetRequest(json)
        }
    }
}

extension MachineStatus.Check {
    fileprivate var json: JSONValue {
        ["time": .string(rfc3339(time)), "findings": .integer(findings)]
    }

    fileprivate init(_ json: JSONValue) throws(Refusal) {
        var members = Members(json, of: "the report's verify")
        time = try members.time("time")
        findings = try members.take("findings", "a number", count)
    }
}

private func count(_ json: JSONValue) -> Int64? { json.integer.flatMap { $0 >= 0 ? $0 : nil } }
