// The identities that a policy question is about.

internal import MAMAudit
internal import MAMModel
internal import MAMPolicy
internal import MAMTree
internal import MAMVault
internal import MAMWire

/// Answers calls of `io.mamd.Policy`.
protocol PolicyService: VaultService {}

extension PolicyService {
    typealias Wire = Varlink.Policy

    /// The account that a call names in `parameter`, else the identity that the caller acts for.
    /// Refused if the caller does not control the account.
    func principal(
        _ named: String?, in parameter: String = "account", _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal {
        try namedPrincipal(named, in: parameter, call)
            ?? Transfers(vault).principal(of: identity(of: call.peer))
    }

    /// Nil if the call names none: that side is unknown or unmanaged.
    func namedPrincipal(
        _ named: String?, in parameter: String, _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal? {
        guard let identity = try identity(named, in: parameter) else { return nil }
        try requireControl(call, of: identity)
        return Transfers(vault).principal(of: identity)
    }

    /// The principal of `account`, or of all `accounts` together: it gets the most restrictive
    /// value of each rule of the managed ones, and is nobody if none is managed.
    func principals(
        _ account: String?, _ accounts: [String]?, _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal {
        guard let accounts else { return try principal(account, call) }
        let named = try identities(accounts, in: "accounts", call)
            .map(Transfers(vault).principal)
        let managed = named.filter(\.isManaged)
        guard let first = managed.first else { return .nobody }
        return .managed(first.identity, .lockDown(of: managed.map(\.policy)))
    }

    /// The owner of data, named by the call or read from the file that it names; nil if the file
    /// has no owner. Refused if the caller does not control the owner: having a file permits
    /// knowing its owner, but not the owner's policy.
    func owner(_ named: String?, _ call: VarlinkCall) throws(VarlinkError) -> Principal? {
        guard call.parameters.has("path") || call.parameters.has("fileDescriptor") else {
            return try namedPrincipal(named, in: "owner", call)
        }
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let info = try vaulted { () throws(VaultError) in
            try protection(of: file, call, in: tree)
        }
        if info.state == .damaged { throw .damaged(info.reason) }
        if info.state == .newer { throw .invalidInput(info.reason) }
        if info.owner.isNobody { return nil }
        try requireControl(call, ofFileOf: info.owner)
        return Transfers(vault).principal(of: info.owner)
    }

    /// Counts a decision and returns its wire form.
    func counted(_ decision: Decision) -> Wire.Decision {
        vault.sinks.metrics.count(decision.isAllowed ? .yesDecisions : .noDecisions)
        return Wire.Decision(decision)
    }
}
