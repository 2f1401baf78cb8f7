// Asking what policy says, and telling it.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

extension Invocation {
    /// Calls a method of the policy interface. `file`: of the request's `fileDescriptor`, 0.
    func policy<Request: VarlinkRequest>(
        _ request: Request, of file: Descriptor? = nil
    ) throws -> Request.Reply {
        try daemon(for: file).call(
            request, descriptors: file.map { [$0] } ?? [], about: verb.name)
    }

    /// Asks, and prints the answer.
    func ask<Request: VarlinkRequest>(
        _ request: Request, of file: Descriptor? = nil
    ) throws -> ExitStatus where Request.Reply: DecisionReply {
        let reply = try policy(request, of: file)
        if isJSON {
            printJSON(reply.json)
        } else {
            printOut("\(reply.decision.word): \(shown(reply.decision.reason))")
            if let url = (reply as? Varlink.Policy.CanOpenURL.Reply)?.opens { printOut(shown(url)) }
        }
        return reply.decision.allowed ? .success : .refused
    }
}

/// Outside of a mount the daemon has to read it.
func openForPolicy(_ path: ByteString) throws -> Descriptor {
    let file = try openForQuestion(path)
    return workspace(of: file) != nil
        ? file : try naming(path) { () throws(Errno) in try reopen(file.raw, O_RDONLY) }
}

/// What came over the socket, fit for a terminal.
func shown(_ text: String) -> String { ByteString(text).shown }

extension Varlink.Policy.Decision {
    var word: String { allowed ? "yes" : "no" }
}
