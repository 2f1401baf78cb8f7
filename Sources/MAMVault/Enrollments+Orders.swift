// The state of the workspace: the wipe orders that were carried out, and the threat level.

internal import Glibc
package import MAMEnrollment
internal import MAMLocks
package import MAMModel
package import MAMPolicy
package import MAMSystem
internal import Synchronization

extension Enrollments {
    private static let workspaceFile = "workspace"

    func loadWorkspace(_ accounts: [AccountID]) {
        guard let store else { return }
        let found = store.load(Self.workspaceFile)
        if case .nothing = found, store.isNew, accounts.isEmpty {
            // From now on a missing one is a lost one.
            saveWorkspace()
            return
        }
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
        // Clears `begun`: these orders must not wipe an account whose keys are imported later. A
        // damaged record stays until the current orders are recorded as obeyed.
        if obeyed != nil, !begun.isEmpty { saveWorkspace() }
        if obeyed == nil {
            log.error(
                "enrollment/\(Self.workspaceFile) is damaged or missing: the wipe requests that are"
                    + " in the policy directory now are taken as done, and the threat level is"
                    + " unknown"
            )
        }
    }

    /// True if the record of obeyed wipe orders is damaged.
    package var hasForgottenOrders: Bool { state.withLock { $0.hasForgottenOrders } }

    /// An account may have been registered again after a wipe; old orders must not wipe it once
    /// more.
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

    /// False if the order was already obeyed, or its execution could not be recorded durably: then
    /// it is left for later. Durable on return.
    ///
    /// `account`: nil if there is none to wipe.
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

    /// The account's wipe is decided, so the order is no longer needed: it must not apply to keys
    /// imported later.
    package func end(_ request: WipeRequest) {
        state.withLock { $0.begun[request.id] = nil }
        saveWorkspace()
    }

    /// The order failed, and is tried again when it is next read.
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

    /// As far as it is known without asking its probe.
    package var threatLevel: ThreatLevel? {
        let (stated, probed) = state.withLock { ($0.statedThreat, $0.probedThreat) }
        return probes.threatLevel(stated: stated, probed: probed)
    }

    package func noteThreat(_ level: ThreatLevel?) { state.withLock { $0.probedThreat = level } }
}
