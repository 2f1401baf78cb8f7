// Turns a frame into a reply: parses the call, finds the interface, answers introspection.
// Independent of sockets.

package import MAMModel
package import MAMSystem
package import MAMWire

/// The interfaces that one socket offers.
package struct VarlinkService: Sendable {
    /// What to do after a frame.
    package enum Outcome: Equatable, Sendable {
        case reply(JSONValue)
        /// The caller wants no reply.
        case silence
        /// The frame is not varlink: send this and close, as what follows cannot be trusted.
        case close(JSONValue)
    }

    private let information: ServiceInformation
    private let interfaces: [any VarlinkInterface]
    let shares = CallShares()

    package init(_ information: ServiceInformation, _ interfaces: [any VarlinkInterface]) {
        self.information = information
        self.interfaces = interfaces
    }

    /// The reply to a frame that is not a call.
    package static let refusal = reply(to: .invalidParameter("call"))

    /// Tells all interfaces that a connection has ended.
    package func connectionEnded(_ connection: ConnectionID) {
        for interface in interfaces { interface.connectionEnded(connection) }
    }

    /// Answers one frame. `send` carries the replies before the last one of a stream.
    ///
    /// Rethrows a handler's errors other than ``VarlinkError``, which end the connection.
    package func answer(
        _ frame: Frame, from peer: Peer, over connection: Descriptor? = nil,
        _ id: ConnectionID = ConnectionID(),
        send: @escaping (JSONValue) throws -> Void
    ) throws -> Outcome {
        let parsed = shares.compute(for: peer.uid) { try? Request(frame) }
        guard let request = parsed else { return .close(Self.refusal) }
        let reply: JSONValue
        do {
            let result = try call(request, frame, peer, connection, id) { parameters in
                try send(["parameters": .object(parameters), "continues": true])
            }
            reply = ["parameters": .object(result.members)]
        } catch let error as VarlinkError {
            reply = Self.reply(to: error)
        }
        return request.isOneWay ? .silence : .reply(reply)
    }

    private static func reply(to error: VarlinkError) -> JSONValue {
        ["error": .string(error.name), "parameters": .object(error.parameters)]
    }

    private func call(
        _ request: Request, _ frame: Frame, _ peer: Peer, _ connection: Descriptor?,
        _ id: ConnectionID,
        _ send: @escaping ([String: JSONValue]) throws -> Void
    ) throws -> any VarlinkReply {
        if request.isUpgrade { throw VarlinkError.methodNotImplemented(request.method) }
        let call = VarlinkCall(
            method: request.method, parameters: request.parameters, peer: peer,
            wantsMore: request.wantsMore && !request.isOneWay, connectionID: id,
            connection: connection, descriptors: frame.descriptors, send: send)
        if request.interface == Introspection.name { return try introspect(call) }
        guard let interface = interfaces.first(where: { $0.name == request.interface }) else {
            throw VarlinkError.interfaceNotFound(request.interface)
        }
        guard interface.has(method: call.method) else {
            throw VarlinkError.methodNotFound(call.method)
        }
        return try shares.run(interface.cost(of: call.method), call) { try interface.answer($0) }
    }

    private func introspect(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        switch call.method {
        case "GetInfo":
            return Introspection.reply(information, interfaces.map(\.name))
        case "GetInterfaceDescription":
            let name = try call.parameters.string("interface")
            if name == Introspection.name { return ["description": .string(Introspection.text)] }
            guard let interface = interfaces.first(where: { $0.name == name }) else {
                throw .interfaceNotFound(name)
            }
            return ["description": .string(interface.description)]
        default:
            throw .methodNotFound(call.method)
        }
    }
}

/// One parsed call.
private struct Request {
    let interface: String
    let method: String
    let parameters: Parameters
    let wantsMore: Bool
    let isOneWay: Bool
    let isUpgrade: Bool

    init(_ frame: Frame) throws {
        let json = try JSONValue(
            parsing: frame.bytes, maximumCount: JSONValue.maximumClientCount)
        guard let members = json.object else {
            throw VarlinkError.invalidParameter("call")
        }
        let call = Parameters(members)
        let name = try call.string("method")
        guard let dot = name.lastIndex(of: ".") else {
            throw VarlinkError.invalidParameter("method")
        }
        interface = String(name[..<dot])
        method = String(name[name.index(after: dot)...])
        parameters = call.has("parameters") ? try call.object("parameters") : Parameters([:])
        wantsMore = try call.flag("more")
        isOneWay = try call.flag("oneway")
        isUpgrade = try call.flag("upgrade")
    }
}
