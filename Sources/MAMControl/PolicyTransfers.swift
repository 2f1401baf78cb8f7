// Where data may go and come from.

internal import MAMIdentity
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// Whether data may go or come.
struct PolicyTransfers: PolicyService {
    let tree: Tree

    func canSave(_ call: VarlinkCall) throws(VarlinkError) -> Varlink.Policy.CanSave.Reply {
        try call.parameters.allowOnly(Self.dataNames.union(["location", "account"]))
        let (owner, place) = (try ownerOfData(call), try namedPrincipal(call, "account"))
        let location = try location(
            call, SaveLocation.init(name:), SaveLocation.allCases.map(\.name))
        return .init(decision: counted(owner.canSave(to: location, of: place)))
    }

    func saveLocations(_ call: VarlinkCall) throws(VarlinkError)
        -> Varlink.Policy.SaveLocations.Reply
    {
        try call.parameters.allowOnly(Self.dataNames.union(["account"]))
        let all = try ownerOfData(call).saveLocations(of: try namedPrincipal(call, "account"))
        return .init(locations: all.map { report($0.name, $0.rawValue, $1) })
    }

    func canOpen(_ call: VarlinkCall) throws(VarlinkError) -> Varlink.Policy.CanOpen.Reply {
        try call.parameters.allowOnly(["location", "receiver", "account"])
        let (receiver, place) = (
            try principal(call, "receiver"), try namedPrincipal(call, "account")
        )
        let location = try location(
            call, OpenLocation.init(name:), OpenLocation.allCases.map(\.name))
        return .init(decision: counted(receiver.canOpen(from: location, of: place)))
    }

    func openLocations(_ call: VarlinkCall) throws(VarlinkError)
        -> Varlink.Policy.OpenLocations.Reply
    {
        try call.parameters.allowOnly(["receiver", "account"])
        let all = try principal(call, "receiver").openLocations(
            of: try namedPrincipal(call, "account"))
        return .init(locations: all.map { report($0.name, $0.rawValue, $1) })
    }

    func canReceive(_ call: VarlinkCall) throws(VarlinkError) -> Varlink.Policy.CanReceive.Reply {
        try call.parameters.allowOnly(Self.dataNames.union(["account", "item"]))
        let receiver = try principal(call)
        let owner = try owner(call)
        if try call.parameters.flag("item") {
            let decision = receiver.canReceiveItem(of: owner)
            announceImport(of: owner, decision, call)
            return .init(decision: counted(decision), becomesReceivers: false)
        }
        let reception = receiver.canReceiveFile(of: owner)
        announceImport(
            of: reception.becomesReceivers ? receiver : owner, reception.decision, call)
        return .init(
            decision: counted(reception.decision), becomesReceivers: reception.becomesReceivers)
    }

    /// What may come is shown by whose it is then; nil: nobody said whose.
    private func announceImport(of owner: Principal?, _ decision: Decision, _ call: VarlinkCall) {
        guard decision.isAllowed, let owner else { return }
        Switch(tree).requireSwitch(
            of: session(of: call), to: owner.identity, because: .documentImport)
    }

    func shareTargets(_ call: VarlinkCall) throws(VarlinkError) -> Varlink.Policy.ShareTargets.Reply
    {
        try call.parameters.allowOnly(["programs", "account"])
        let principal = try principal(call)
        let managed = Set(vault.settings.managedPrograms)
        let programs = try call.parameters.strings("programs")
        try requireFew(programs, in: "programs")
        let targets = programs.map { program in
            let offer = principal.shareOffer(toManagedProgram: managed.contains(program))
            return Varlink.Policy.ShareTarget(
                program: program, managed: managed.contains(program), sealed: offer.isSealed,
                decision: counted(offer.decision))
        }
        return .init(targets: targets)
    }

    private static let dataNames: Set<String> = ["owner", "path", "fileDescriptor"]

    /// Whose data is to be saved; the caller's if it does not say.
    private func ownerOfData(_ call: VarlinkCall) throws(VarlinkError) -> Principal {
        let names = call.parameters.members.keys
        guard names.contains(where: Self.dataNames.contains) else {
            return try principal(call, "owner")
        }
        return try owner(call) ?? .nobody
    }

    private func location<Location>(
        _ call: VarlinkCall, _ read: (String) -> Location?, _ all: @autoclosure () -> [String]
    ) throws(VarlinkError) -> Location {
        let text = try call.parameters.string("location")
        guard let location = read(text) else {
            throw .invalidInput(
                "\(text) is no location; use one of \(all().joined(separator: ", "))")
        }
        return location
    }

    /// `value`: the SDK's number of the location.
    private func report(
        _ name: String, _ value: Int, _ decision: Decision
    ) -> Varlink.Policy.LocationAnswer {
        .init(location: name, value: value, decision: counted(decision))
    }
}
