// Contained programs: what they may do, and which they are.

internal import Glibc
internal import MAMAudit
internal import MAMIdentity
internal import MAMKeyring
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire

extension IdentityInterface {
    func getContainment(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.GetContainment.Reply {
        let request: Wire.GetContainment = try call.request()
        let account = try containable(request.account, call)
        let containment = Containment(vault)
        let (network, ports) = containment.network(of: account).onWire
        return .init(
            containment: .init(
                account: vault.identity(of: account).description,
                mountPoint: tree.mountPoint.shown, fileSystem: tree.mountNumber ?? "",
                network: network, ports: ports,
                required: containment.isRequired(for: account),
                terminalBlocked: containment.blocksTerminals(of: account),
                nestedRequired: containment.requiresNested(for: account)))
    }

    func contain(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.Contain = try call.request()
        let account = try containable(request.account, call)
        guard let descriptor = try call.descriptor("processDescriptor") else { throw Self.noChild }
        let child = try restricted(descriptor, of: call.peer)
        let identity = vault.identity(of: account)
        guard vault.identities.set(identity, by: call.peer.uid, for: child, standing: .contained)
        else { throw notSet(call) ?? Self.noChild }
        vault.sinks.metrics.count(.containedPrograms)
        audit(request.program, account, child, call.peer)
        return NoMembers()
    }

    private func audit(
        _ program: String?, _ account: AccountID, _ child: ProcessLife, _ peer: Peer
    ) {
        let name = program.map { ByteString($0).shown }
        vault.audit(
            .contained, account,
            (name.map { "\($0), " } ?? "") + "process \(child.id) of uid \(peer.uid)"
                + (name == nil ? "" : ",") + " runs contained for \(vault.identity(of: account))"
        ) { $0.path = name }
    }

    /// The caller's account of that name; nil: its default one, or its only one.
    private func containable(
        _ name: String?, _ call: VarlinkCall
    ) throws(VarlinkError) -> AccountID {
        guard vault.rules.settings.containment != .off else {
            throw .refused("the setting Containment is off")
        }
        if name == nil, let own = vault.defaultAccount(ofUser: call.peer.uid) { return own }
        return try account(name, call).id
    }

    private func restricted(
        _ descriptor: Descriptor, of peer: Peer
    ) throws(VarlinkError) -> ProcessLife {
        let process: ProcessLife
        if let own = own(descriptor, of: peer) {
            process = own
        } else {
            process = try child(descriptor, of: peer)
        }
        guard hasNoNewPrivileges(process.id) else {
            throw .invalidInput("process \(process.id) has not restricted itself")
        }
        return process
    }

    /// The caller itself, whose starter told an earlier daemon; nil if it is another process.
    private func own(_ descriptor: Descriptor, of peer: Peer) -> ProcessLife? {
        processID(of: descriptor) == peer.pid && peer.isAlive ? peer.life : nil
    }

    /// While the descriptor is open, the process's id is not another's.
    func child(_ descriptor: Descriptor, of peer: Peer) throws(VarlinkError) -> ProcessLife {
        guard let id = processID(of: descriptor), let status = ProcessStatus(of: id),
            status.parent == peer.pid, peer.isAlive
        else { throw Self.noChild }
        return status.life
    }

    static let noChild = VarlinkError.invalidInput(
        "the descriptor is no pidfd of a child of the caller that the daemon can see")
}

extension Settings.ContainedNetwork {
    fileprivate var onWire: (Varlink.Identity.Network, [Int]) {
        switch self {
        case .any: (.any, [])
        case .none: (.none, [])
        case .ports(let ports): (.ports, ports.map(Int.init))
        }
    }
}

// What contained programs were refused by their supervisor.
extension IdentityInterface {
    /// The words are ours: what a program chose, such as an address, could be content.
    private static func reason(_ act: Wire.ContainedAct) -> String {
        switch act {
        case .connect: "policy and settings let its contained programs connect elsewhere at most"
        case .mount: "another file system was mounted in the workspace: the programs were ended"
        }
    }

    /// The broker marks connections of the programs, and not the supervisor's own.
    func noteRefusal(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.NoteRefusal = try call.request()
        let found = Callers(vault).found(forThread: call.peer.pid, user: call.peer.uid)
        guard found.isContained, !call.peer.isContained else {
            throw .refused("only the supervisor of contained programs tells what it refused")
        }
        Containment(vault).noteRefused(
            request.what.rawValue, of: found.identity, by: call.peer.pid, user: call.peer.uid,
            Self.reason(request.what))
        return NoMembers()
    }
}
