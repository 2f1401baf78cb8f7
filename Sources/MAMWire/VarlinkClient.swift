// The client: calls over one connection, one at a time.

internal import Glibc
package import MAMModel
package import MAMSystem

/// A connection to a varlink service.
package struct VarlinkClient: ~Copyable {
    /// Why a call failed.
    package enum Failure: Error, Equatable {
        /// Connecting failed.
        case unreachable(path: String, Errno)
        /// Another user's process listens at the path. Nothing was sent.
        case foreign(path: String, user: UInt32)
        /// A secret would go to another user's daemon. Nothing was sent.
        case secretForOthers(user: UInt32)
        /// The daemon accepts calls but answers none.
        case silent(process: Int32)
        /// The service closed the connection, or it broke.
        case disconnected
        /// The service does not speak varlink.
        case malformed
        /// The service replied with an error.
        case refused(VarlinkError)
        /// The reply lacks a member, or has it in another type.
        case unknownReply(VarlinkError)
    }

    /// Seconds without a reply before a test call checks whether the daemon still answers.
    private static let patience = 5
    /// The test call's own limit in seconds: on a loaded machine every reply is slow.
    private static let probePatience = 20

    /// Calls that may wait for their replies at once. They and their replies fit into the socket's
    /// buffers, so that neither side waits to write while the other does.
    package static let batchCount = 32

    private let socket: Descriptor
    private let path: String
    private let isProbe: Bool
    private let listener: Listener
    private let sender: FrameSender
    private var frames: FrameSocket
    private var sentCount = 0
    private var receivedCount = 0
    /// Replies that came before the one that is waited for, by their calls' numbers.
    private var early: [Int: Result<Parameters, Failure>] = [:]

    /// Connects to the service at `path`. `owner`: the user who made the mount that the calls are
    /// about; nil if they are about none.
    package init(path: String, mountOf owner: UInt32? = nil) throws(Failure) {
        try self.init(try Self.connect(to: path, mountOf: owner), to: path)
    }

    /// Connects, and throws `foreign` if another user's process listens.
    package static func connect(
        to path: String, mountOf owner: UInt32? = nil
    ) throws(Failure) -> Descriptor {
        let socket: Descriptor
        do throws(Errno) {
            socket = try UnixSocket.connect(to: path) { socket throws(Errno) in
                try UnixSocket.setTimeout(SO_SNDTIMEO, seconds: probePatience, on: socket)
                // A blocked read wakes up this often to check on the daemon.
                try UnixSocket.setTimeout(SO_RCVTIMEO, seconds: 1, on: socket)
            }
        } catch {
            // The listen queue has been full all the time: the daemon accepts nothing.
            if error == .wouldBlock { throw .silent(process: 0) }
            throw .unreachable(path: path, error)
        }
        guard let listener = Listener(at: socket) else { throw .disconnected }
        guard listener.mayServe(mountOf: owner) else {
            throw .foreign(path: path, user: listener.user)
        }
        return socket
    }

    /// Uses an existing connection, which the caller can shut down to end a wait.
    package init(_ socket: Descriptor, to path: String) throws(Failure) {
        try self.init(socket, to: path, isProbe: false)
    }

    private init(_ socket: Descriptor, to path: String, isProbe: Bool) throws(Failure) {
        guard let listener = Listener(at: socket) else { throw .disconnected }
        self.socket = socket
        self.path = path
        self.isProbe = isProbe
        self.listener = listener
        sender = FrameSender(socket)
        frames = FrameSocket(socket, maximumByteCount: FrameReader.replyByteCount)
    }

    /// The user of the daemon's process.
    package var user: UInt32 { listener.user }

    /// Calls a method and waits for its one reply. Leaves out members of the request that are nil,
    /// because an older service refuses members that it does not know.
    package mutating func call<Request: VarlinkRequest>(
        _ request: Request, descriptors: [Descriptor] = [],
        meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Request.Reply {
        try Self.read(
            try call(
                Request.fullName, request.withoutNulls, descriptors: descriptors,
                meanwhile: meanwhile))
    }

    /// Calls a method with `more`, and hands over each reply until the last one, or until `body` is
    /// false.
    package mutating func stream<Request: VarlinkRequest>(
        _ request: Request, descriptors: [Descriptor] = [], _ body: (Request.Reply) -> Bool
    ) throws(Failure) {
        var failure: Failure?
        try stream(Request.fullName, request.withoutNulls, descriptors: descriptors) { reply in
            do throws(Failure) { return body(try Self.read(reply)) } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
    }

    private static func read<Reply: WireObject>(_ reply: Parameters) throws(Failure) -> Reply {
        do throws(VarlinkError) { return try Reply(reply) } catch { throw .unknownReply(error) }
    }

    /// Calls a method by its full name and waits for its reply. `meanwhile` runs between the two.
    package mutating func call(
        _ method: String, _ parameters: [String: JSONValue] = [:], descriptors: [Descriptor] = [],
        meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Parameters {
        try begin(method, parameters, descriptors)
        let pending = pendingReply()
        meanwhile(pending)
        return try receive(pending).parameters
    }

    private func begin(
        _ method: String, _ parameters: [String: JSONValue], _ descriptors: [Descriptor]
    ) throws(Failure) {
        try refuseSecrets(parameters)
        try send(["method": .string(method), "parameters": .object(parameters)], descriptors)
    }

    /// Calls a method with `more`, and hands over each reply until the last one, or until `body` is
    /// false.
    package mutating func stream(
        _ method: String, _ parameters: [String: JSONValue] = [:],
        descriptors: [Descriptor] = [], _ body: (Parameters) -> Bool
    ) throws(Failure) {
        try refuseSecrets(parameters)
        try send(
            ["method": .string(method), "parameters": .object(parameters), "more": true],
            descriptors)
        while true {
            let reply = try receive(pendingReply())
            guard body(reply.parameters), reply.continues else { return }
        }
    }

    /// Calls a method without expecting a reply (`oneway`).
    package mutating func notify(
        _ method: String, _ parameters: [String: JSONValue] = [:]
    ) throws(Failure) {
        try refuseSecrets(parameters)
        try send(
            ["method": .string(method), "parameters": .object(parameters), "oneway": true], [])
    }

    /// Every parameter of our interfaces that holds a secret has one of these words in its name.
    private func refuseSecrets(_ parameters: [String: JSONValue]) throws(Failure) {
        guard !listener.isTrusted else { return }
        let names = parameters.keys.map { $0.lowercased() }
        guard names.contains(where: { $0.contains("passphrase") || $0.contains("recoverykey") })
        else { return }
        throw .secretForOthers(user: listener.user)
    }

    /// Calls that were made, and not waited for.
    package struct BegunCalls<Request: VarlinkRequest> {
        fileprivate let numbers: Range<Int>
        fileprivate let failure: Failure?
    }

    /// Makes calls, at most ``batchCount``.
    package mutating func begin<Request: VarlinkRequest>(
        _ calls: [(request: Request, descriptors: [Descriptor])]
    ) -> BegunCalls<Request> {
        precondition(calls.count <= Self.batchCount)
        let numbers = sentCount..<sentCount + calls.count
        var failure: Failure?
        do throws(Failure) {
            for (request, descriptors) in calls {
                try begin(Request.fullName, request.withoutNulls, descriptors)
                sentCount += 1
            }
        } catch { failure = error }
        return BegunCalls(numbers: numbers, failure: failure)
    }

    /// Waits for the replies to calls, also if others were made since.
    package mutating func replies<Request: VarlinkRequest>(
        to calls: BegunCalls<Request>
    ) -> [Result<Request.Reply, Failure>] {
        var end = calls.failure
        var replies: [Result<Request.Reply, Failure>] = []
        for number in calls.numbers {
            do throws(Failure) {
                if let end { throw end }
                replies.append(.success(try Self.read(try reply(to: number))))
            } catch {
                if !error.isReply { end = error }
                replies.append(.failure(error))
            }
        }
        return replies
    }

    /// Replies come in the calls' order.
    private mutating func reply(to number: Int) throws(Failure) -> Parameters {
        while true {
            if let known = early.removeValue(forKey: number) { return try known.get() }
            let reply: Result<Parameters, Failure>
            do throws(Failure) { reply = .success(try receive(pendingReply()).parameters) } catch {
                guard error.isReply else { throw error }
                reply = .failure(error)
            }
            early[receivedCount] = reply
            receivedCount += 1
        }
    }

    private func send(_ call: JSONValue, _ descriptors: [Descriptor]) throws(Failure) {
        do throws(Errno) {
            try sender.send(call, descriptors: descriptors)
        } catch {
            throw error == .wouldBlock ? .silent(process: listener.process) : .disconnected
        }
    }

    private mutating func receive(
        _ pending: PendingReply
    ) throws(Failure) -> (parameters: Parameters, continues: Bool) {
        let frame = try receiveFrame(pending)
        guard let reply = (try? JSONValue(parsing: frame.bytes))?.object else { throw .malformed }
        let parameters = reply["parameters"]?.object ?? [:]
        if let error = reply["error"]?.text { throw .refused(VarlinkError(error, parameters)) }
        return (Parameters(parameters), reply["continues"]?.bool ?? false)
    }

    private mutating func receiveFrame(_ pending: PendingReply) throws(Failure) -> Frame {
        while !pending.isSilent {
            do throws(FrameSocket.Failure) {
                guard let frame = try frames.receive() else { throw .cut }
                return frame
            } catch {
                switch error {
                case .system(.wouldBlock): _ = pending.isInVain
                case .excess: throw .malformed
                case .system, .cut: throw .disconnected
                }
            }
        }
        throw .silent(process: listener.process)
    }
}

extension VarlinkClient.Failure {
    /// Whether the service has replied, so that the connection can go on.
    fileprivate var isReply: Bool {
        switch self {
        case .refused, .unknownReply: true
        default: false
        }
    }
}

extension VarlinkClient {
    private func pendingReply() -> PendingReply {
        let patience = isProbe ? Self.probePatience : Self.patience
        return PendingReply(
            on: socket, of: listener.process, patience: patience,
            daemonAnswers: isProbe ? nil : { [path] in Self.answers(at: path) })
    }

    /// Any result but silence is an answer, even an error or the end of the connection.
    private static func answers(at path: String) -> Bool {
        do throws(Failure) {
            var probe = try VarlinkClient(try connect(to: path), to: path, isProbe: true)
            _ = try probe.call("org.varlink.service.GetInfo")
        } catch {
            if case .silent = error { return false }
        }
        return true
    }
}
