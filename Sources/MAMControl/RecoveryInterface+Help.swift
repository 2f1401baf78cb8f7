// The calls by which the organisation helps somebody who has forgotten a passphrase.

internal import MAMFleet
internal import MAMKeyring
internal import MAMModel
internal import MAMWire
internal import MAMWorkspace

extension RecoveryInterface {
    func askReset(_ call: VarlinkCall) throws(VarlinkError) -> Wire.AskReset.Reply {
        let request: Wire.AskReset = try call.request()
        let (account, name) = try account(request.account, call)
        let asked = try keyed(name) { () throws(KeyringError) in
            try PassphraseHelp(tree).ask(for: account, user: call.peer.uid)
        }
        return .init(
            request: .init(
                code: "\(asked.code)", organization: asked.organization,
                machine: "\(asked.machine)", ends: Int(asked.ends), answered: asked.isAnswered))
    }

    func resetAsOrdered(_ call: VarlinkCall) throws(VarlinkError) -> Wire.ResetAsOrdered.Reply {
        let request: Wire.ResetAsOrdered = try call.request()
        let (account, name) = try account(request.account, call)
        let passphrase = try call.newSecret("passphrase", orNone: "noPassphrase")
        try keyed(name) { () throws(KeyringError) in
            try PassphraseHelp(tree).reset(account, to: passphrase, user: call.peer.uid)
        }
        return .init()
    }
}
