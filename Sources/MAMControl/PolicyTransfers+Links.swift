// Links and the clipboard.

internal import MAMIdentity
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

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
