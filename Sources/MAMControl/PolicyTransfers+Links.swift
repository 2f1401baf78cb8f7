// Links and the clipboard.

internal import MAMIdentity
internal import MAMModel
internal import MAMPolicy
internal import MAMVault
internal import MAMWire

extension PolicyTransfers {
    func canOpenURL(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["url", "account", "knownManagedScheme", "universal"])
        let url = try call.parameters.string("url")
        let inputs = LinkInputs(
            isKnownManagedScheme: try call.parameters.flag("knownManagedScheme"),
            managedSchemes: vault.settings.managedSchemes)
        let party = try party(call)
        let answer =
            try call.parameters.flag("universal")
            ? party.canOpenUniversalLink(url, inputs) : party.canOpenURL(url, inputs)
        // Without a name the question is about the account that the session shows.
        if answer.decision.isAllowed, call.parameters.has("account") {
            vault.requireSwitch(of: session(of: call), to: party.identity, because: .openURL)
        }
        return ["decision": reply(answer.decision), "opens": JSONValue(answer.opens)]
    }

    func canCopy(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["count", "account", "target"])
        let decision = try party(call).canCopy(
            characters: try call.parameters.integer("count"),
            to: try namedParty(call, "target"))
        return ["decision": reply(decision)]
    }

    func canPaste(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(["count", "account", "source"])
        let decision = try party(call).canPaste(
            characters: try call.parameters.integer("count"),
            from: try namedParty(call, "source"))
        return ["decision": reply(decision)]
    }
}
