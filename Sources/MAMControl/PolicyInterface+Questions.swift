// Questions that only the policy answers, and those about accounts.

internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMVault
internal import MAMWire

extension PolicyInterface {
    func ask(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Ask.Reply {
        let request: Wire.Ask = try call.request()
        let principal = try principals(request.account, request.accounts, call)
        guard let question = PolicyQuestion(rawValue: request.question) else {
            throw .invalidInput(
                "there is no question \(request.question); Answers tells all of them")
        }
        return .init(decision: counted(principal.answer(question, inputs(for: principal))))
    }

    func answers(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Answers.Reply {
        let request: Wire.Answers = try call.request()
        let principal = try principals(request.account, request.accounts, call)
        let inputs = inputs(for: principal)
        return .init(
            account: principal.identity.name,
            answers: PolicyQuestion.allCases.map {
                .init(question: $0.rawValue, decision: counted(principal.answer($0, inputs)))
            })
    }

    private func inputs(for principal: Principal) -> QuestionInputs {
        // A configuration that the account may not read does not influence the answer.
        let configuration = (try? NameRights(vault).configuration(of: principal.identity)) ?? .empty
        return QuestionInputs(
            screenCaptureControl: configuration.text(QuestionInputs.screenCaptureKey, .any))
    }

    func canPickDocuments(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.CanPickDocuments.Reply {
        let request: Wire.CanPickDocuments = try call.request()
        let principal = try principal(request.account, call)
        return .init(decision: counted(principal.canPickDocuments(.init(request.mode))))
    }

    func notificationPolicy(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.NotificationPolicy.Reply {
        let request: Wire.NotificationPolicy = try call.request()
        let policy = try principal(request.account, call).notificationPolicy
        // The place is the number in `IntuneMAMNotificationPolicy`.
        return .init(policy: policy.place, name: policy.rawValue)
    }

    func managedAccounts(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ManagedAccounts.Reply {
        _ = try call.request(Wire.ManagedAccounts.self)
        let own = controlled(by: call.peer).filter { vault.isRegistered($0.id) }
        // Only the caller's own accounts count: root controls other users' too.
        let primary = own.filter { $0.user == call.peer.uid }
        let isManaged =
            vault.rules.settings.policyRequired
            || own.contains { vault.policies.covers($0.identity) }
        return .init(
            accounts: own.map { .init($0.identity) },
            primary: primary.count == 1 ? .init(primary[0].identity) : nil,
            managementEnabled: isManaged)
    }

    func managedPrograms(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ManagedPrograms.Reply {
        _ = try call.request(Wire.ManagedPrograms.self)
        return .init(programs: vault.rules.settings.managedPrograms)
    }

    /// Ignores case; an account's name and object id are the same identity.
    func sameIdentity(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.SameIdentity.Reply {
        let request: Wire.SameIdentity = try call.request()
        let first = try namedPrincipal(request.first, in: "first", call) ?? .nobody
        let second = try namedPrincipal(request.second, in: "second", call) ?? .nobody
        return .init(same: first.identity.matches(second.identity))
    }

    func isManaged(_ call: VarlinkCall) throws(VarlinkError) -> Wire.IsManaged.Reply {
        let request: Wire.IsManaged = try call.request()
        // Not `isManaged`: an account that was signed out keeps its keys, and its policy for the
        // remaining files.
        return .init(managed: vault.isRegistered(try principal(request.account, call).identity))
    }
}

extension Varlink.Policy.ManagedAccount {
    fileprivate init(_ identity: Identity) {
        self.init(name: identity.name, objectID: identity.objectID)
    }
}

extension DocumentPickerMode {
    fileprivate init(_ mode: Varlink.Policy.PickerMode) {
        self =
            switch mode {
            case .import: .import
            case .open: .open
            case .exportToService: .exportToService
            case .moveToService: .moveToService
            }
    }
}
