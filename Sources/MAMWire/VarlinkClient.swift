// The other end: calls over one connection, one at a time.

package import MAMModel
package import MAMSystem

/// A connection to a varlink service.
package struct VarlinkClient: ~Copyable {
    /// Why a call has no result.
    package enum Failure: Error, Equatable {
        /// Nothing answers at the path.
        case unreachable(path: String, Errno)
        /// Somebody else's process listens there; nothing was sent to it.
        case foreign(path: String, user: UInt32)
        /// A passphrase would go to somebody else's daemon; nothing was sent.
        case secretForOthers(user: UInt32)
        /// The service closed the connection, or it broke.
        case disconnected
        /// The service does not speak varlink.
        case malformed
        /// The service's answer.
        case refused(VarlinkError)
    }

    private let socket: Descriptor
    /// Nil for a connection whose other end its maker knows.
    private let listener: Listener?
    private let sender: FrameSender
    private var frames: FrameSocket

    /// Connects to the service at `path`. `owner`: who made the mount that it is to be asked about;
    /// nil if none is.
    package init(path: String, mountOf owner: UInt32? = nil) throws(Failure) {
        self.init(try Self.connect(to: path, mountOf: owner))
    }

    /// Throws unless the one who listens may be asked.
    package static func connect(
        to path: String, mountOf owner: UInt32? = nil
    ) throws(Failure) -> Descriptor {
        let socket: Descriptor
        do throws(Errno) {
            socket = try UnixSocket.connect(to: path)
        } catch {
            throw .unreachable(path: path, error)
        }
        guard let listener = Listener(at: socket) else { throw .disconnected }
        guard listener.mayServe(mountOf: owner) else {
            throw .foreign(path: path, user: listener.user)
        }
        return socket
    }

    /// Over a connection that its caller may shut down, to end a wait.
    package init(_ socket: Descriptor) {
        self.socket = socket
        listener = Listener(at: socket)
        sender = FrameSender(socket)
        frames = FrameSocket(socket, maximumByteCount: FrameReader.replyByteCount)
    }

    /// Calls a method by its full name and waits for the one reply. Before it is read `meanwhile` gets the connection, which
    /// can be read from once the reply is there.
    package mutating func call(
        _ method: String, _ parameters: [String: JSONValue] = [:], descriptors: [Descriptor] = [],
        meanwhile: (Descriptor) -> Void = { _ in }
    ) throws(Failure) -> Parameters {
        try refuseSecrets(parameters)
        try send(["method": .string(method), "parameters": .object(parameters)], descriptors)
        meanwhile(socket)
        return try receive().parameters
    }

    /// Calls a method with `more`, and hands over each reply until the last one, or until `body` is false.
    package mutating func stream(
        _ method: String, _ parameters: [String: JSONValue] = [:],
        descriptors: [Descriptor] = [], _ body: (Parameters) -> Bool
    ) throws(Failure) {
        try refuseSecrets(parameters)
        try send(
            ["method": .string(method), "parameters": .object(parameters), "more": true],
            descriptors)
        while true {
            let reply = try receive()
            guard body(reply.parameters), reply.continues else { return }
        }
    }

    /// Calls a method that must not answer.
    package mutating func notify(
        _ method: String, _ parameters: [String: JSONValue] = [:]
    ) throws(Failure) {
        try refuseSecrets(parameters)
        try send(
            ["method": .string(method), "parameters": .object(parameters), "oneway": true], [])
    }

    /// Every secret of our interfaces is called a passphrase or a recovery key, or a descriptor of
    /// one.
    private func refuseSecrets(_ parameters: [String: JSONValue]) throws(Failure) {
        guard let listener, !listener.isTrusted else { return }
        let names = parameters.keys.map { $0.lowercased() }
        guard names.contains(where: { $0.contains("passphrase") || $0.contains("recoverykey") })
        else { return }
        throw .secretForOthers(user: listener.user)
    }

    private func send(_ call: JSONValue, _ descriptors: [Descriptor]) throws(Failure) {
        do throws(Errno) {
            try sender.send(call, descriptors: descriptors)
        } catch {
            throw .disconnected
        }
    }

    private mutating func receive() throws(Failure) -> (parameters: Parameters, continues: Bool) {
        let frame = try receiveFrame()
        guard let reply = (try? JSONValue(parsing: frame.bytes))?.object else { throw .malformed }
        let parameters = reply["parameters"]?.object ?? [:]
        if let error = reply["error"]?.text { throw .refused(VarlinkError(error, parameters)) }
        return (Parameters(parameters), reply["continues"]?.bool ?? false)
    }

    private mutating func receiveFrame() throws(Failure) -> Frame {
        do throws(FrameSocket.Failure) {
            if let frame = try frames.receive() { return frame }
        } catch {
            if case .excess = error { throw .malformed }
        }
        throw .disconnected
    }
}
