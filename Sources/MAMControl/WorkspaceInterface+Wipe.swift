// Destroying an account over the socket.

internal import MAMEnrollment
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension WorkspaceInterface {
    func wipe(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Wipe.Reply {
        let request: Wire.Wipe = try call.request()
        guard let found = Wipe(tree).wipeable(named: request.account) else {
            throw .unknownAccount(request.account)
        }
        let name = found.identity.description
        guard isTrusted(call.peer) || found.user == call.peer.uid else {
            throw .refused("the account \(name) belongs to uid \(found.user)")
        }
        try requireWipeable(name, isConfirmed: request.confirmed)
        let outcome = try keyed(name) { () throws(KeyringError) in
            try Wipe(tree).wipe(
                found.account, because: WipeReason(.command, "uid \(call.peer.uid) asked for it"),
                progressed: reporter(call))
        }
        return .init(outcome)
    }

    /// With `more`, reports progress at most ten times a second, as long as the caller reads. The
    /// wipe goes on if the caller hangs up.
    private func reporter(_ call: VarlinkCall) -> (WipeProgress) -> Void {
        var next = Deadline(milliseconds: 100)
        var isHeard = call.wantsMore
        return { progress in
            guard isHeard, next.hasPassed, call.takesReplies else { return }
            next = Deadline(milliseconds: 100)
            let reply = Wire.Wipe.Reply(
                complete: false, files: progress.removed, scanned: progress.scanned, opened: 0,
                left: [], stragglers: [])
            // Never wait for the caller: other accounts' wipes wait for this one.
            do { try call.reply(reply) } catch { isHeard = false }
        }
    }
}
