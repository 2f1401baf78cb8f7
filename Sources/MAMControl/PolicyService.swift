// Whom a question is about, and how it is answered.

internal import MAMModel
internal import MAMPolicy
internal import MAMTree
internal import MAMVault
internal import MAMWire

/// What answers calls of `io.mamd.Policy`.
protocol PolicyService: VaultService {}

extension PolicyService {
    typealias Wire = Varlink.Policy

    /// The account that a call names in `parameter`, which answers to the caller, or the identity
    /// that the caller works for.
    func principal(
        _ named: String?, in parameter: String = "account", _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal {
        try namedPrincipal(named, in: parameter, call)
            ?? Transfers(vault).principal(of: identity(of: call.peer))
    }

    /// Nil where the call names none: a side that is unknown, or unmanaged.
    func namedPrincipal(
        _ named: String?, in parameter: String, _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal? {
        guard let identity = try identity(named, in: parameter) else { return nil }
        try requireControl(call, of: identity)
        return Transfers(vault).principal(of: identity)
    }

    /// All accounts of `accounts` together, one of them that is managed at least: the most
    /// restrictive of everything.
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

    /// The owner of the file that a call names by path or descriptor, or by its name; nil if the
    /// file says nothing of an owner. A caller with a file may know its owner, but not the
    /// owner's policy.
    func owner(_ named: String?, _ call: VarlinkCall) throws(VarlinkError) -> Principal? {
        guard call.parameters.has("path") || call.parameters.has("fileDescriptor") else {
            return try namedPrincipal(named, in: "owner", call)
        }
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let info = try vaulted { () throws(VaultError) in
            try protection(of: file, call, in: tree)
        }
        if info.state == .damaged { throw .damaged(info.reason) }
        if info.state == .foreign { return nil }
        try requireControl(call, of: info.owner)
        return Transfers(vault).principal(of: info.owner)
    }

    /// The wire form of an answer, which is counted.
    func counted(_ decision: Decision) -> Wire.Decision {
        vault.metrics.count(decision.isAllowed ? .yesDecisions : .noDecisions)
        return Wire.Decision(decision)
    }
}
