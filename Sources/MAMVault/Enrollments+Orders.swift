// What is remembered of the workspace: the orders to wipe that were obeyed, and the threat level.

internal import Glibc
package import MAMEnrollment
package import MAMModel
package import MAMPolicy
package import MAMSystem
internal import Synchronization

extension Enrollments {
    private static let workspaceFile = "workspace"

    func loadWorkspace(_ accounts: [AccountID]) {
        guard let found = store?.load(Self.workspaceFile) else { return }
        if case .nothing = found { return }
        var members: [String: JSONValue] = [:]
        if case .value(let json) = found { members = json.object ?? [:] }
        let obeyed = members["obeyed"].flatMap(ObeyedRequests.init)
        let begun = members["begun"]?.object ?? [:]
        state.withLock { state in
            state.obeyed = obeyed ?? ObeyedRequests()
            state.hasForgottenOrders = obeyed == nil
            for (id, account) in begun {
                guard accounts.contains(where: { account.text == "\($0.bytes)" }) else { continue }
                state.obeyed.forget(id)
            }
            state.statedThreat = members["threatLevel"]?.text.flatMap(ThreatLevel.init(rawValue:))
        }
        // Not to be asked again: whose keys are imported later was not there for these orders. What
        // is damaged stays so until the orders that are there are taken as obeyed.
        if obeyed != nil, !begun.isEmpty { saveWorkspace() }
        if obeyed == nil {
            log.error(
                "enrollment/\(Self.workspaceFile) is damaged: the wipe requests that are in the"
                    + " policy directory now are taken as done, and the threat level is unknown"
            )
        }
    }

    /// What tells which orders to wipe were obeyed is damaged.
    package var hasForgottenOrders: Bool { state.withLock { $0.hasForgottenOrders } }

    /// A wiped account may have been registered again, and must not be for an order of before.
    package func takeAsObeyed(_ requests: [WipeRequest]) {
        state.withLock { state in
            for request in requests { state.obeyed.note(request.id) }
            state.hasForgottenOrders = false
        }
        saveWorkspace()
    }

    @discardableResult
    private func saveWorkspace() -> Bool {
        saving.withLock { _ in
            let (obeyed, begun, threat) = state.withLock { state in
                (
                    state.obeyed, state.begun.filter { state.obeyed.contains($0.key) },
                    state.statedThreat
                )
            }
            return write(
                [
                    "obeyed": obeyed.json,
                    "begun": .object(begun.mapValues { .string("\($0.bytes)") }),
                    "threatLevel": JSONValue(threat?.rawValue),
                ], as: Self.workspaceFile)
        }
    }

    /// False if it was obeyed before, or if nobody would know after a restart that it was: then it
    /// is for later. On disk before this returns.
    ///
    /// `account`: nil if there is none to be wiped.
    package func begin(
        _ request: WipeRequest, for account: AccountID? = nil, at now: Moment
    ) -> Bool {
        let isNew = state.withLock { state in
            state.obeyed.pass(state.obeyedReading.advance(to: now, boot: ClockReading.currentBoot))
            defer { state.obeyed.note(request.id) }
            guard !state.obeyed.contains(request.id) else { return false }
            state.begun[request.id] = account
            return true
        }
        guard isNew else { return false }
        if !saveWorkspace() {
            forget(request.id)
            return false
        }
        return true
    }

    /// The account's end is decided: what is left to do no order is asked for. If its keys are
    /// imported later, that is after this one.
    package func end(_ request: WipeRequest) {
        state.withLock { $0.begun[request.id] = nil }
        saveWorkspace()
    }

    /// It could not be obeyed, and is to be when it is read again.
    package func takeBack(_ request: WipeRequest) {
        forget(request.id)
        saveWorkspace()
    }

    private func forget(_ id: String) {
        state.withLock { state in
            state.obeyed.forget(id)
            state.begun[id] = nil
        }
    }

    package var statedThreat: ThreatLevel? {
        get { state.withLock { $0.statedThreat } }
        set {
            state.withLock { $0.statedThreat = newValue }
            saveWorkspace()
        }
    }
}
