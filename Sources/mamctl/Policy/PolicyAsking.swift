// Asking policy questions and printing the answers.

internal import Glibc
internal import MAMCommandLine
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
            request, descriptors: file.map { [$0] } ?? [], about: .verbatim(verb.name))
    }

    /// Asks, and prints the answer.
    func ask<Request: VarlinkRequest>(
        _ request: Request, of file: Descriptor? = nil
    ) throws -> ExitStatus where Request.Reply: DecisionReply {
        try policy(request, of: file).show(isJSON: isJSON)
    }
}

extension DecisionReply {
    /// Prints the answer. The status tells it too.
    func show(isJSON: Bool) -> ExitStatus {
        if isJSON {
            printJSON(json)
        } else {
            printOut("\(decision.word): \(decision.message)")
            if let url = (self as? Varlink.Policy.CanOpenURL.Reply)?.opens {
                printOut(verbatim: shown(url))
            }
        }
        return decision.allowed ? .success : .refused
    }
}

/// An O_PATH descriptor suffices in a mount. Outside, the daemon has to read the header.
func openForPolicy(_ path: ByteString) throws -> Descriptor {
    let file = try openForQuestion(path)
    return workspace(of: file) != nil
        ? file : try naming(path, reopen(file.raw, O_RDONLY))
}

extension Varlink.Policy.Decision {
    var word: Message { allowed ? "yes" : "no" }
}
