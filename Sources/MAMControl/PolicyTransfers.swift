// Questions about where data may go to and come from.

internal import MAMIdentity
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// Answers the calls about transfers.
struct PolicyTransfers: PolicyService {
    let tree: Tree

    func canSave(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CanSave.Reply {
        let request: Wire.CanSave = try call.request()
        let (owner, place) = (
            try ownerOfData(request.owner, call),
            try namedPrincipal(request.account, in: "account", call)
        )
        let location = try location(
            request.location, SaveLocation.init(name:), SaveLocation.allCases.map(\.name))
        return .init(decision: counted(owner.canSave(to: location, of: place)))
    }

    func saveLocations(_ call: VarlinkCall) throws(VarlinkError)
        -> Wire.SaveLocations.Reply
    {
        let request: Wire.SaveLocations = try call.request()
        let all = try ownerOfData(request.owner, call).saveLocations(
            of: try namedPrincipal(request.account, in: "account", call))
        return .init(locations: all.map { report($0.name, $0.rawValue, $1) })
    }

    func canOpen(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CanOpen.Reply {
        let request: Wire.CanOpen = try call.request()
        let (receiver, place) = (
            try principal(request.receiver, in: "receiver", call),
            try namedPrincipal(request.account, in: "account", call)
        )
        let location = try location(
            request.location, OpenLocation.init(name:), OpenLocation.allCases.map(\.name))
        return .init(decision: counted(receiver.canOpen(from: location, of: place)))
    }

    func openLocations(_ call: VarlinkCall) throws(VarlinkError)
        -> Wire.OpenLocations.Reply
    {
        let request: Wire.OpenLocations = try call.request()
        let all = try principal(request.receiver, in: "receiver", call).openLocations(
            of: try namedPrincipal(request.account, in: "account", call))
        return .init(locations: all.map { report($0.name, $0.rawValue, $1) })
    }

    func canReceive(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CanReceive.Reply {
        let request: Wire.CanReceive = try call.request()
        let receiver = try principal(request.account, call)
        let owner = try owner(request.owner, call)
        if request.item ?? false {
            let decision = receiver.canReceiveItem(of: owner)
            return .init(
                decision: counted(try switched(decision, to: owner, .documentImport, call)),
                becomesReceivers: false)
        }
        let reception = receiver.canReceiveFile(of: owner)
        let decision = try switched(
            reception.decision, to: reception.becomesReceivers ? receiver : owner,
            .documentImport, call)
        let becomesReceivers = reception.becomesReceivers && decision.isAllowed
        if becomesReceivers { try give(to: receiver, call) }
        return .init(decision: counted(decision), becomesReceivers: becomesReceivers)
    }

    /// A file of the mount is the receiver's now. What is elsewhere, the caller has to give.
    private func give(to receiver: Principal, _ call: VarlinkCall) throws(VarlinkError) {
        guard Self.fileNames.contains(where: call.parameters.has) else { return }
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        guard Answers(tree).contain(file) else { return }
        try requireOwnership(call, of: file)
        let giver = Giver(
            found(for: call.peer), operation: call.operation(on: Wire.name),
            process: call.peer.pid, user: call.peer.uid)
        _ = try vaulted { () throws(VaultError) in
            try Owners(tree).setOwner(receiver.identity, of: file, by: giver)
        }
    }

    func shareTargets(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ShareTargets.Reply {
        let request: Wire.ShareTargets = try call.request()
        let principal = try principal(request.account, call)
        let managed = Set(vault.rules.settings.managedPrograms)
        try requireFew(request.programs, in: "programs")
        let targets = request.programs.map { program in
            let offer = principal.shareOffer(toManagedProgram: managed.contains(program))
            return Wire.ShareTarget(
                program: program, managed: managed.contains(program), sealed: offer.isSealed,
                decision: counted(offer.decision))
        }
        return .init(targets: targets)
    }

    private static let fileNames: Set<String> = ["path", "fileDescriptor"]
    private static let dataNames = fileNames.union(["owner"])

    /// The owner of the data to save; by default the identity that the caller acts for.
    private func ownerOfData(
        _ named: String?, _ call: VarlinkCall
    ) throws(VarlinkError) -> Principal {
        let names = call.parameters.members.keys
        guard names.contains(where: Self.dataNames.contains) else {
            return try principal(nil, call)
        }
        return try owner(named, call) ?? .nobody
    }

    private func location<Location>(
        _ text: String, _ read: (String) -> Location?, _ all: @autoclosure () -> [String]
    ) throws(VarlinkError) -> Location {
        guard let location = read(text) else {
            throw .invalidInput(
                "\(text) is no location; use one of \(all().joined(separator: ", "))")
        }
        return location
    }

    /// `value`: the SDK's number for the location.
    private func report(
        _ name: String, _ value: Int, _ decision: Decision
    ) -> Wire.LocationAnswer {
        .init(location: name, value: value, decision: counted(decision))
    }
}

// Links and the clipboard.
extension PolicyTransfers {
    func canOpenURL(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CanOpenURL.Reply {
        let request: Wire.CanOpenURL = try call.request()
        let inputs = LinkInputs(
            isKnownManagedScheme: request.knownManagedScheme ?? false,
            managedSchemes: vault.rules.settings.managedSchemes)
        let principal = try principal(request.account, call)
        let answer =
            request.universal ?? false
            ? principal.canOpenUniversalLink(request.url, inputs)
            : principal.canOpenURL(request.url, inputs)
        // Without a name the question is about the session's current account: no switch is needed.
        guard request.account != nil else {
            return .init(decision: counted(answer.decision), opens: answer.opens)
        }
        let decision = try switched(answer.decision, to: principal, .openURL, call)
        return .init(
            decision: counted(decision), opens: decision.isAllowed ? answer.opens : nil)
    }

    func canCopy(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CanCopy.Reply {
        let request: Wire.CanCopy = try call.request()
        let decision = try principal(request.account, call).canCopy(
            characters: request.count, to: try namedPrincipal(request.target, in: "target", call))
        return .init(decision: counted(decision))
    }

    func canPaste(_ call: VarlinkCall) throws(VarlinkError) -> Wire.CanPaste.Reply {
        let request: Wire.CanPaste = try call.request()
        let decision = try principal(request.account, call).canPaste(
            characters: request.count, from: try namedPrincipal(request.source, in: "source", call))
        return .init(decision: counted(decision))
    }
}

// What a session's programs have to show before data comes in.
extension PolicyTransfers {
    /// The decision once the session's programs show the data's owner; nil: it has none. Where
    /// nobody answers nothing is waited for.
    func switched(
        _ decision: Decision, to owner: Principal?, _ reason: SwitchReason, _ call: VarlinkCall
    ) throws(VarlinkError) -> Decision {
        guard decision.isAllowed, let owner else { return decision }
        let waiting: WaitingSwitch?
        do throws(Errno) {
            waiting = try Switch(tree).requireSwitch(
                of: session(of: call), to: owner.identity, because: reason)
        } catch { throw .systemError(error, "the switch of identities") }
        guard let waiting else { return decision }
        defer { vault.sessions.switches.withdraw(waiting) }
        guard call.wait(for: waiting.readable, atMostSeconds: SwitchRequests.seconds) else {
            throw .systemError(.notConnected, "the caller")
        }
        switch waiting.end {
        case .unheard, .answered(.success): return decision
        case .answered(let result): return refusal(waiting, "it answered \(result.word)")
        case nil:
            return refusal(waiting, "it has not answered for \(SwitchRequests.seconds) s")
        }
    }

    private func refusal(_ waiting: WaitingSwitch, _ why: Message) -> Decision {
        let name = waiting.request.name
        let shown: Message = name.isEmpty ? "an unmanaged identity" : "\(name)"
        return .no(
            "the program on the screen was to show \(shown) first, and \(why)",
            by: "identitySwitchRequired")
    }
}
