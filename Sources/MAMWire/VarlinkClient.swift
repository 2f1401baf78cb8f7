// The other end: calls over one connection, one at a time.

package import MAMModel
package import MAMSystem

/// A connection to a varlink service.
package struct VarlinkClient: ~Copyable {
    /// Why a call has no result.
    package enum Failure: Error, Equatable {
        /// Nothing answers at the path.
        case unreachable(path: String, Errno)
        /// The service closed the connection, or it broke.
        case disconnected
        /// The service does not speak varlink.
        case malformed
        /// The service's answer.
        case refused(VarlinkError)
    }

    private let socket: Descriptor
    private let sender: FrameSender
    private var frames: FrameSocket

    /// Connects to the service at `path`.
    package init(path: String) throws(Failure) {
        let socket: Descriptor
        do throws(Errno) {
            socket = try UnixSocket.connect(to: path)
        } catch {
            throw .unreachable(path: path, error)
        }
        self.init(socket)
    }

    /// Over a connection that its caller may shut down, to end a wait.
    package init(_ socket: Descriptor) {
        self.socket = socket
        sender = FrameSender(socket)
        frames = FrameSocket(socket, maximumByteCount: FrameReader.replyByteCount)
    }

    /// Calls a method by its full name and waits for the one reply. Before it is read `meanwhile` gets the connection, which
    /// can be read from once the reply is there.
    package mutating func call(
        _ method: String, _ parameters: [String: JSONValue] = [:], descriptors: [Descriptor] = [],
        meanwhile: (Descriptor) -> Void = { _ in }
    ) throws(Failure) -> Parameters {
        try send(["method": .string(method), "parameters": .object(parameters)], descriptors)
        meanwhile(socket)
        return try receive().parameters
    }

    /// Calls a method with `more`, and hands over each reply until the last one, or until `body` is false.
    package mutating func stream(
        _ method: String, _ parameters: [String: JSONValue] = [:],
        descriptors: [Descriptor] = [], _ body: (Parameters) -> Bool
    ) throws(Failure) {
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
        try send(
            ["method": .string(method), "parameters": .object(parameters), "oneway": true], [])
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
