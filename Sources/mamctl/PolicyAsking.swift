// Asking what policy says, and telling it.

internal import Glibc
internal import MAMModel
internal import MAMPlaces
internal import MAMPolicy
internal import MAMSystem
internal import MAMWire

/// A question to the daemon that is meant, with the options of a verb.
struct PolicyAsking {
    let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Those of the options that were given, as parameters of the same name.
    func parameters(_ options: [String]) throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for option in options {
            if let text = try invocation.arguments.text(option) { found[option] = .string(text) }
        }
        return found
    }

    /// Prints a method's answer. `path`: of the file that it is about.
    func ask(
        _ method: String, _ parameters: [String: JSONValue], of path: ByteString? = nil
    ) throws -> ExitStatus {
        let file = try path.map { path in
            // Outside of a mount the daemon has to read it.
            let file = try openForQuestion(path)
            return workspace(of: file) != nil
                ? file : try naming(path) { () throws(Errno) in try reopen(file.raw, O_RDONLY) }
        }
        var parameters = parameters
        if file != nil { parameters["fileDescriptor"] = 0 }
        let reply = try invocation.policy(method, parameters, of: file)
        let decision = Decision(try reply.value("decision"))
        if invocation.isJSON {
            printJSON(.object(reply.members))
        } else {
            printOut("\(yesOrNo(decision)): \(shown(decision.reason))")
            if let url = try reply.optionalString("opens") { printOut(shown(url)) }
        }
        return decision.isAllowed ? .success : .refused
    }

    /// About one location, or a table of all of them.
    func askLocation(
        _ method: String, orAll listing: String, _ parameters: [String: JSONValue],
        of path: ByteString? = nil
    ) throws -> ExitStatus {
        if let location = try invocation.arguments.text("location") {
            return try ask(
                method, parameters.merging(["location": .string(location)]) { $1 }, of: path)
        }
        var parameters = parameters
        let file = try path.map { try openForQuestion($0) }
        if file != nil { parameters["fileDescriptor"] = 0 }
        let reply = try invocation.policy(listing, parameters, of: file)
        if invocation.isJSON {
            printJSON(.object(reply.members))
            return .success
        }
        printOut(
            table(
                try reply.objects("locations").map { answer in
                    let decision = Decision(try answer.value("decision"))
                    return [
                        try answer.string("location"), yesOrNo(decision), shown(decision.reason),
                    ]
                }))
        return .success
    }

    func askLink(_ kind: [String: JSONValue]) throws -> ExitStatus {
        var parameters = try parameters(["account"]).merging(kind) { $1 }
        parameters["url"] = .string(try invocation.operands[0].requireText("the URL"))
        if invocation.arguments.has("managed-scheme") { parameters["knownManagedScheme"] = true }
        return try ask("CanOpenURL", parameters)
    }

    func clipboard(
        target option: String, as name: String
    ) throws -> [String: JSONValue] {
        var parameters = try parameters(["account"])
        guard let count = invocation.operands[0].text.flatMap({ Int($0) }) else {
            throw Failure.usage(
                invocation.verb, "'\(invocation.operands[0].shown)' is not a number of characters")
        }
        parameters["count"] = JSONValue(count)
        if let target = try invocation.arguments.text(option) { parameters[name] = .string(target) }
        return parameters
    }
}

/// What came over the socket, fit for a terminal.
func shown(_ text: String) -> String { ByteString(text).shown }

func yesOrNo(_ decision: Decision) -> String { decision.isAllowed ? "yes" : "no" }
