// Questions that need nothing but a policy, and those about accounts.

internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMVault
internal import MAMWire

extension PolicyInterface {
    func ask(_ call: VarlinkCall) throws(VarlinkError) -> Varlink.Policy.Ask.Reply {
        let request: Varlink.Policy.Ask = try call.request()
        let principal = try principals(call)
        guard let question = PolicyQuestion(rawValue: request.question) else {
            throw .invalidInput(
                "there is no question \(request.question); Answers tells all of them")
        }
        return .init(decision: counted(principal.answer(question, inputs(for: principal))))
    }

    func answers(_ call: VarlinkCall) throws(VarlinkError) -> Varlink.Policy.Answers.Reply {
        try call.parameters.allowOnly(["account", "accounts"])
        let principal = try principals(call)
        let inputs = inputs(for: principal)
        return .init(
            account: principal.identity.name,
            answers: PolicyQuestion.allCases.map {
                .init(question: $0.rawValue, decision: counted(principal.answer($0, inputs)))
            })
    }

    private func inputs(for principal: Principal) -> QuestionInputs {
        // What is kept from its account decides nothing for it either.
        let configuration = (try? NameRights(vault).configuration(of: principal.identity)) ?? .empty
        return QuestionInputs(
            screenCaptureControl: configuration.text(QuestionInputs.screenCaptureKey, .any))
    }

    func canPickDocuments(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Varlink.Policy.CanPickDocuments.Reply {
        let request: Varlink.Policy.CanPickDocuments = try call.request()
        let principal = try principal(call)
        let modes = DocumentPickerMode.allCases
        guard let mode = modes.first(where: { "\($0)" == request.mode }) else {
            throw .invalidInput("mode is one of \(modes.map { "\($0)" }.joined(separator: ", "))")
        }
        return .init(decision: counted(principal.canPickDocuments(mode)))
    }

    func notificationPolicy(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Varlink.Policy.NotificationPolicy.Reply {
        try call.parameters.allowOnly(["account"])
        let policy = try principal(call).notificationPolicy
        let number = NotificationRestriction.allCases.firstIndex(of: policy) ?? 0
        return .init(policy: number, name: policy.rawValue)
    }

    func managedAccounts(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly([])
        let own = controlled(by: call.peer).filter { vault.isRegistered($0.id) }
        // Of one's own: root controls those of others as well.
        let primary = own.filter { $0.user == call.peer.uid }
        let isManaged =
            vault.settings.policyRequired || own.contains { vault.policies.covers($0.identity) }
        return [
            "accounts": .array(own.map { report($0.identity) }),
            "primary": primary.count == 1 ? report(primary[0].identity) : .null,
            "managementEnabled": .bool(isManaged),
        ]
    }

    /// Without regard to case, and by the object id where one account has both.
    func sameIdentity(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["first", "second"])
        let first = try namedPrincipal(call, "first") ?? .nobody
        let second = try namedPrincipal(call, "second") ?? .nobody
        return ["same": .bool(first.identity.matches(second.identity))]
    }

    private func report(_ identity: Identity) -> JSONValue {
        ["name": .string(identity.name), "objectId": .string(identity.objectID)]
    }

    func isManaged(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["account"])
        // One that was deregistered with its keys kept still has its rules, for the files that
        // stay.
        return ["managed": .bool(vault.isRegistered(try principal(call).identity))]
    }
}
