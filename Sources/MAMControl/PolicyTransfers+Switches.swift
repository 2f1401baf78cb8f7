// What a session's programs have to show before data comes in.

internal import MAMIdentity
internal import MAMModel
internal import MAMPolicy
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

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
