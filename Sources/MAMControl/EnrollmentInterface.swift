// io.mamd.Enrollment over the vault: one method of the interface is one function here.

internal import MAMEnrollment
internal import MAMKeyring
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMVault
internal import MAMWire

/// Answers the socket. Holds no state of its own.
package struct EnrollmentInterface: VaultInterface {
    let vault: Vault

    package init(vault: Vault) { self.vault = vault }

    package var name: String { Varlink.Enrollment.name }
    package var description: String { Varlink.Enrollment.text }

    package func answer(_ call: VarlinkCall) throws -> [String: JSONValue] {
        switch call.method {
        case "Register": try register(call)
        case "Login": try login(call)
        case "Deregister": try deregister(call)
        case "CheckIn": try checkIn(call)
        case "List": try list(call)
        case "AllowedAccounts": try allowedAccounts(call)
        case "CheckCompliance": try checkCompliance(call)
        case "UserStatus": try userStatus(call)
        case "SetThreatLevel": try setThreatLevel(call)
        case "AdvanceClock": try advanceClock(call)
        default: throw VarlinkError.methodNotFound(call.method)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch method {
        case "Register", "Login": .derivation
        case "Deregister": .closing
        case "CheckIn", "CheckCompliance": .long
        default: .short
        }
    }

    private func register(
        _ call: VarlinkCall, namedBy parameter: String = "name"
    ) throws(VarlinkError) -> [String: JSONValue] {
        let account: AccountID
        do throws(Refusal) { account = try newAccount(call, namedBy: parameter) } catch {
            switch error {
            case .status(let status): return ["status": status.json]
            case .error(let error): throw error
            }
        }
        return ["status": status(of: account).json]
    }

    private func status(of account: AccountID) -> EnrollmentStatus {
        vault.enrollment(of: account)?.status
            ?? EnrollmentStatus(vault.identity(of: account), .notEnrolled)
    }

    private func login(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account", "passphrase", "passphraseDescriptor"])
        if try unknownName(call) != nil { return try register(call, namedBy: "account") }
        let (account, name) = try account(call)
        let passphrase = try call.secret("passphrase")
        let status = try keyed(name) { () throws(KeyringError) in
            try vault.login(account, passphrase: passphrase)
        }
        return ["status": status.json]
    }

    /// An identity that has no account here.
    private func unknownName(_ call: VarlinkCall) throws(VarlinkError) -> Identity? {
        guard let name = try call.parameters.optionalString("account"), !name.isEmpty,
            vault.account(named: name) == nil
        else { return nil }
        return try? Identity(name: name, objectID: "")
    }

    private func deregister(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account", "wipe", "confirmed"])
        _ = try call.parameters.string("account")
        if let unknown = try unknownName(call) {
            return ["status": EnrollmentStatus(unknown, .notEnrolled).json, "wiped": .null]
        }
        let (account, name) = try account(call)
        guard try call.parameters.bool("wipe") else {
            return ["status": vault.signOut(account).json, "wiped": .null]
        }
        try requireConfirmed(call, toWipe: name)
        guard !vault.isReadOnly else {
            throw .refused(
                "the workspace is mounted read-only, and \(name)'s files could not be removed")
        }
        let identity = vault.identity(of: account)
        let reason = WipeReason(.deregister, "uid \(call.peer.uid) deregistered it")
        let outcome = try keyed(name) { () throws(KeyringError) in
            try vault.wipe(account, because: reason)
        }
        let status = EnrollmentStatus(identity, outcome.isComplete ? .unenrolled : .dataNotCleared)
        return ["status": status.json, "wiped": .object(WipeReport(outcome).members)]
    }

    private func checkIn(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        try requireTrusted(call, toDo: "check in")
        let outcome = vault.checkIn()
        return ["succeeded": .bool(outcome.isSuccess), "reason": JSONValue(outcome.reason)]
    }

    private func list(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        return ["enrollments": .array(controlled(by: call.peer).compactMap(\.enrollmentJSON))]
    }

    private func allowedAccounts(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        let allowed = vault.accountRules.allowed
        return ["accounts": allowed.map { .array($0.map { .string($0) }) } ?? .null]
    }

    private func checkCompliance(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account"])
        let (compliance, reason) = vault.remediate(try account(call).id)
        return ["status": JSONValue(compliance.rawValue), "reason": JSONValue(reason)]
    }

    private func userStatus(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account"])
        // For who may ask of the account.
        _ = try account(call)
        return ["status": JSONValue(vault.userStatus.rawValue)]
    }

    private func setThreatLevel(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["level"])
        try requireTrusted(call, toDo: "set the threat level")
        let text = try call.parameters.optionalString("level")
        let level = text.flatMap(ThreatLevel.init(rawValue:))
        guard text == nil || level != nil else { throw .invalidParameter("level") }
        vault.setThreatLevel(level)
        return [:]
    }

    private func advanceClock(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["seconds"])
        try requireTrusted(call, toDo: "move the clock")
        guard vault.settings.debugSettingsEnabled else {
            throw .refused("the clock moves only with DebugSettingsEnabled")
        }
        let seconds = try call.parameters.integer("seconds")
        // Ten years: far enough for every timer, and nothing overflows.
        guard (0...315_360_000).contains(seconds) else { throw .invalidParameter("seconds") }
        vault.advanceClock(bySeconds: Int64(seconds))
        return [:]
    }
}

extension AccountStatus {
    fileprivate var enrollmentJSON: JSONValue? {
        guard let enrollment else { return nil }
        return [
            "stage": .string(enrollment.stage.rawValue), "status": enrollment.status.json,
            "secondsSinceCheckIn": .integer(enrollment.secondsSinceCheckIn),
            "block": JSONValue(block?.kind.rawValue), "blockReason": JSONValue(block?.reason),
            "findings": .array(
                enrollment.findings.map {
                    [
                        "action": .string($0.action.rawValue), "rule": .string($0.rule),
                        "reason": .string($0.reason),
                    ]
                }),
        ]
    }
}
