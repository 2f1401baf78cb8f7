// Programs that answer when their login session has to show another identity.

internal import MAMIdentity
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension IdentityInterface {
    /// Ends when the caller hangs up.
    func awaitSwitches(_ call: VarlinkCall) throws -> Wire.AwaitSwitches.Reply {
        _ = try call.request(Wire.AwaitSwitches.self)
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        let answerer: SwitchAnswerer
        do throws(Errno) {
            answerer = try vault.sessions.switches.answerer(in: session(of: call))
        } catch {
            throw VarlinkError.systemError(error, "the stream of switches")
        }
        // From now on its answers are waited for.
        try call.reply(Wire.AwaitSwitches.Reply())
        while call.waitWhileConnected(for: answerer.readable) {
            for request in answerer.take() {
                try call.reply(Wire.AwaitSwitches.Reply(request: .init(request)))
            }
        }
        // The caller has hung up: no final reply.
        throw Errno.notConnected
    }

    func answerSwitch(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.AnswerSwitch = try call.request()
        guard let result = SwitchResult(rawValue: request.result) else {
            throw .invalidParameter("result")
        }
        guard vault.sessions.switches.answer(request.id, from: session(of: call), result) else {
            throw .notFound("nothing in this login session waits for switch \(request.id)")
        }
        return NoMembers()
    }
}

extension Varlink.Identity.SwitchRequest {
    fileprivate init(_ request: SwitchRequest) {
        self.init(
            id: request.id, session: request.session.name, name: request.name,
            reason: request.reason.rawValue, seconds: SwitchRequests.seconds)
    }
}
