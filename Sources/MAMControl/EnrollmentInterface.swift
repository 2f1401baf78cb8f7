// io.mamd.Enrollment over the vault, one function per method.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// Implements the interface. Stateless.
package struct EnrollmentInterface: VaultInterface {
    typealias Wire = Varlink.Enrollment

    let tree: Tree

    package init(tree: Tree) { self.tree = tree }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        switch try call.method(of: Wire.Method.self) {
        case .register: try register(call)
        case .login: try login(call)
        case .deregister: try deregister(call)
        case .checkIn: try checkIn(call)
        case .list: try list(call)
        case .allowedAccounts: try allowedAccounts(call)
        case .checkCompliance: try checkCompliance(call)
        case .userStatus: try userStatus(call)
        case .setThreatLevel: try setThreatLevel(call)
        case .advanceClock: try advanceClock(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .register, .login: .derivation
        case .deregister: .closing
        case .checkIn, .checkCompliance: .long
        default: .short
        }
    }

    private func register(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Register.Reply {
        let request: Wire.Register = try call.request()
        return try reply { () throws(Refusal) in
            try newAccount(
                request.name, objectID: request.objectID, newKeys: request.newKeys, call)
        }
    }

    /// A refusal with an enrolment status code becomes a status rather than an error.
    private func reply(
        _ newAccount: () throws(Refusal) -> AccountID
    ) throws(VarlinkError) -> Wire.Register.Reply {
        do throws(Refusal) {
            return .init(status: .init(status(of: try newAccount())))
        } catch {
            switch error {
            case .status(let status): return .init(status: .init(status))
            case .error(let error): throw error
            }
        }
    }

    private func status(of account: AccountID) -> EnrollmentStatus {
        Accounts(vault).enrollment(of: account)?.status
            ?? EnrollmentStatus(vault.identity(of: account), .notEnrolled)
    }

    private func login(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Login.Reply {
        let request: Wire.Login = try call.request()
        if let new = request.account, unknown(new) != nil {
            return try reply { () throws(Refusal) in try newAccount(new, call) }
        }
        let (account, name) = try account(request.account, call)
        let (identity, user) = (vault.identity(of: account), call.peer.uid)
        let admission = SignInProofs(tree).admission(to: identity, for: user)
        if case .refused(let status) = admission { return .init(status: .init(status)) }
        let passphrase = try call.openingSecret(isTyped: request.typed)
        let status = try keyed(name) { () throws(KeyringError) in
            try SignIn(tree).login(account, passphrase: passphrase)
        }
        if status.code.didSucceed {
            SignInProofs(tree).use(admission, of: identity, for: user, by: account)
        }
        return .init(status: .init(status))
    }

    /// The identity of that name if it has no account here; else nil.
    private func unknown(_ name: String) -> Identity? {
        guard !name.isEmpty, vault.account(named: name) == nil else { return nil }
        return try? Identity(name: name, objectID: "")
    }

    private func deregister(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Deregister.Reply {
        let request: Wire.Deregister = try call.request()
        if let unknown = unknown(request.account) {
            return .init(status: .init(EnrollmentStatus(unknown, .notEnrolled)))
        }
        let (account, name) = try account(request.account, call)
        guard request.wipe else {
            return .init(status: .init(Registration(tree).signOut(account)))
        }
        try requireWipeable(name, isConfirmed: request.confirmed)
        let identity = vault.identity(of: account)
        let reason = WipeReason(.deregister, "uid \(call.peer.uid) deregistered it")
        let outcome = try keyed(name) { () throws(KeyringError) in
            try Wipe(tree).wipe(account, because: reason)
        }
        let status = EnrollmentStatus(identity, outcome.isComplete ? .unenrolled : .dataNotCleared)
        return .init(status: .init(status), wiped: Varlink.Workspace.Wipe.Reply(outcome).json)
    }

    private func checkIn(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CheckIn.Reply {
        _ = try call.request(Wire.CheckIn.self)
        try requireTrusted(call, toDo: "check in")
        let outcome = CheckIn(tree).checkIn()
        return .init(succeeded: outcome.isSuccess, reason: outcome.reason)
    }

    private func list(_ call: VarlinkCall) throws(VarlinkError) -> Wire.List.Reply {
        _ = try call.request(Wire.List.self)
        return .init(
            enrollments: controlled(by: call.peer).compactMap { .init($0) },
            threatLevel: vault.enrollments.threatLevel.flatMap {
                Wire.ThreatLevel(rawValue: $0.rawValue)
            })
    }

    private func allowedAccounts(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.AllowedAccounts.Reply {
        _ = try call.request(Wire.AllowedAccounts.self)
        return .init(accounts: vault.accountRules.allowed)
    }

    private func checkCompliance(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.CheckCompliance.Reply {
        let request: Wire.CheckCompliance = try call.request()
        let account = try account(request.account, call)
        let (compliance, reason) = LaunchChecks(tree).remediate(account.id)
        return .init(status: compliance.rawValue, reason: reason)
    }

    private func userStatus(_ call: VarlinkCall) throws(VarlinkError) -> Wire.UserStatus.Reply {
        let request: Wire.UserStatus = try call.request()
        // Checks that the caller may ask about the account.
        _ = try account(request.account, call)
        return .init(status: LaunchChecks(tree).userStatus.rawValue)
    }

    private func setThreatLevel(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.SetThreatLevel = try call.request()
        try requireTrusted(call, toDo: "set the threat level")
        LaunchChecks(tree).setThreatLevel(
            request.level.flatMap { ThreatLevel(rawValue: $0.rawValue) })
        return NoMembers()
    }

    private func advanceClock(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.AdvanceClock = try call.request()
        try requireTrusted(call, toDo: "move the clock")
        guard vault.rules.settings.debugSettingsEnabled else {
            throw .refused("the clock moves only with DebugSettingsEnabled")
        }
        // Ten years: longer than every timer, and no sum overflows.
        guard (0...315_360_000).contains(request.seconds) else {
            throw .invalidParameter("seconds")
        }
        Timers(tree).advanceClock(bySeconds: Int64(request.seconds))
        return NoMembers()
    }
}

extension Varlink.Workspace.Stage {
    /// On disk it has a word of its own.
    init(_ stage: EnrollmentRecord.Stage) {
        self =
            switch stage {
            case .registered: .registered
            case .enrolled: .enrolled
            case .signedOut: .signedOut
            }
    }
}

extension Varlink.Enrollment.Enrollment {
    fileprivate init?(_ account: AccountStatus) {
        guard let enrollment = account.enrollment else { return nil }
        self.init(
            stage: .init(enrollment.stage), status: .init(enrollment.status),
            secondsSinceCheckIn: Int(enrollment.secondsSinceCheckIn),
            block: account.block?.kind, blockReason: account.block?.reason.english,
            findings: enrollment.findings.map {
                .init(action: .init($0.action), rule: $0.rule, reason: $0.reason.english)
            })
    }
}
