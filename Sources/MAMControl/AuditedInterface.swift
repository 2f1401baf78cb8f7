// Wraps an interface: refuses what contained programs may not call, records refusals, and names the
// caller in what the vault records during a call.

internal import MAMAudit
internal import MAMEnrollment
package import MAMModel
internal import MAMPolicy
internal import MAMSystem
package import MAMVault
package import MAMWire

/// Audits another interface. The daemon wraps each of its interfaces in one.
package struct AuditedInterface: VarlinkInterface {
    private let interface: any VarlinkInterface
    private let vault: Vault

    package init(_ interface: any VarlinkInterface, _ vault: Vault) {
        self.interface = interface
        self.vault = vault
    }

    package var name: String { interface.name }
    package var description: String { interface.description }

    package func has(method: String) -> Bool { interface.has(method: method) }

    package func cost(of method: String) -> CallCost { interface.cost(of: method) }

    package func connectionEnded(_ connection: ConnectionID) {
        interface.connectionEnded(connection)
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        let peer = call.peer
        let caller: @Sendable () -> AuditCaller = {
            peer.asking { AuditCaller(uid: peer.uid, pid: $0) }
        }
        return try vault.sinks.trail.acting(as: caller) {
            do {
                try ContainedCalls(vault: vault).check(call, of: name)
                let reply = try interface.answer(call)
                noteDenial(reply, call)
                noteUnregistered(reply, call)
                return reply
            } catch let error as VarlinkError {
                noteRefusal(error, call)
                throw error
            }
        }
    }

    private func noteRefusal(_ error: VarlinkError, _ call: VarlinkCall) {
        guard let event = error.workspaceError.event, !vault.sinks.trail.isRefusalRecorded else {
            return
        }
        note(
            event, call,
            account: error.account ?? call.newAccount ?? account(of: call),
            error.next.map { "\(error); run: \($0)" } ?? "\(error)",
            rule: error.kind)
    }

    /// Records a refusal that a registration returns as a status code rather than an error.
    private func noteUnregistered(_ reply: any VarlinkReply, _ call: VarlinkCall) {
        guard let status = (reply as? any EnrollmentReply)?.status, !status.didSucceed,
            status.statusCode != StatusCode.alreadyEnrolled.rawValue,
            let account = call.newAccount
        else { return }
        note(.refused, call, account: account, status.errorString ?? "", rule: nil)
    }

    /// Records a policy question that was answered with no.
    private func noteDenial(_ reply: any VarlinkReply, _ call: VarlinkCall) {
        guard let decision = (reply as? any DecisionReply)?.decision, !decision.allowed else {
            return
        }
        note(
            .denied, call, account: account(of: call), decision.ownReason(in: vault),
            rule: decision.rule)
    }

    /// The account that the call is about, unless its caller made that up.
    private func account(of call: VarlinkCall) -> String? {
        call.account.flatMap { vault.account(named: $0) == nil ? nil : $0 }
    }

    /// `account`: an account's name, or what could be one.
    private func note(
        _ event: LogMessage, _ call: VarlinkCall, account: String?, _ reason: String,
        rule: String?
    ) {
        let operation = operation(of: call)
        let account = account.flatMap { try? Identity(name: $0).description }
        let known = account.flatMap { vault.account(named: $0) }.map { vault.identity(of: $0) }
        let key = AuditKey(
            event, user: call.peer.uid, thread: call.peer.pid, operation: operation,
            account: account ?? "", reason: reason)
        vault.sinks.trail.add(key) {
            AuditRecord(
                event, of: known?.description ?? account,
                registrant: known.flatMap { vault.registrant(of: $0) }, operation: operation,
                reason: reason, rule: rule)
        }
    }
}

extension VarlinkCall {
    /// The account name in a call that registers one.
    fileprivate var newAccount: String? {
        switch method {
        case Varlink.Enrollment.Method.register.rawValue,
            Varlink.Workspace.Method.registerAccount.rawValue:
            parameters.members["name"]?.text
        case Varlink.Enrollment.Method.login.rawValue: account
        default: nil
        }
    }

    /// The name of the account that it is about, as its caller wrote it: only its method knows the
    /// request's type. When this is asked, the method has failed or ended, or the call was refused
    /// before it began.
    var account: String? { parameters.members["account"]?.text }
}

extension VarlinkError {
    /// Nil for invalid calls, and for a wrong passphrase, which the vault records itself.
    fileprivate var event: LogMessage? {
        switch ofWorkspace {
        case .refused, .windowClosed, .blocked: .refused
        case .damaged: .damaged
        default: nil
        }
    }
}

// Replies that the audit and the log record.
extension Varlink.Policy.Decision {
    /// Without what the caller made up: a contained program's data, which the log's readers and the
    /// organisation's engine would get.
    func ownReason(in vault: Vault) -> String {
        message.english { $0 == rule || vault.isOurs($0) }
    }
}

extension Vault {
    fileprivate func isOurs(_ value: String) -> Bool {
        value == Identity.nobody.description || account(named: value) != nil
            || SaveLocation(name: value)?.name == value || OpenLocation(name: value)?.name == value
    }
}

/// The reply to a registration.
protocol EnrollmentReply: VarlinkReply {
    var status: Varlink.Enrollment.Status { get }
}

extension Varlink.Enrollment.Register.Reply: EnrollmentReply {}

extension Varlink.Enrollment.Status {
    init(_ status: EnrollmentStatus) {
        self.init(
            identity: status.identity.name, accountID: status.identity.objectID,
            didSucceed: status.code.didSucceed, statusCode: status.code.rawValue,
            errorString: status.errorString)
    }
}
