// From one frame to one reply: parsing the call, finding the interface, introspection. Knows no
// socket.

package import MAMModel
package import MAMSystem
package import MAMWire

/// The interfaces that one socket offers.
package struct VarlinkService: Sendable {
    /// What becomes of a frame.
    package enum Outcome: Equatable, Sendable {
        case reply(JSONValue)
        /// The caller wants no reply.
        case silence
        /// Not varlink: send this and close, for what follows cannot be trusted.
        case close(JSONValue)
    }

    private let information: ServiceInformation
    private let interfaces: [any VarlinkInterface]
    let shares = CallShares()

    package init(_ information: ServiceInformation, _ interfaces: [any VarlinkInterface]) {
        self.information = information
        self.interfaces = interfaces
    }

    /// The reply that refuses a frame which is no call at all.
    package static let refusal = reply(to: .invalidParameter("call"))

    /// Tells all interfaces that a client has gone.
    package func connectionEnded(_ connection: ConnectionID) {
        for interface in interfaces { interface.connectionEnded(connection) }
    }

    /// Answers one frame. `send` carries the replies before the last one of a stream.
    ///
    /// Throws what a handler throws beyond varlink's errors: the connection cannot go on then.
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
        return try shares.run(interface.cost(of: call.method), call) { try interface.answer(call) }
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
