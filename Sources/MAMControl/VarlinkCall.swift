// A call as its handler sees it: the caller, the parameters, and a way to send several replies.

internal import Glibc
package import MAMModel
package import MAMSystem
package import MAMWire

/// The process that connected, from `SO_PEERCRED` and `SO_PEERPIDFD`.
package struct Peer: Sendable {
    /// 0 if the process is in a PID namespace that is not visible from here.
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32
    /// Tells the process from a later one with the same id, which may exist by the time of a call.
    /// Nil if the process ended before its connection was accepted.
    package let life: ProcessLife?
    /// A pidfd; nil before Linux 6.5, where ``life`` alone identifies the process.
    private let process: ProcessHandle?
    /// The connection itself says that it is a contained program's, whatever has become of the
    /// process and of what was known of it.
    let isContained: Bool

    package init(
        pid: Int32, uid: UInt32, gid: UInt32, process: ProcessHandle? = nil,
        isContained: Bool = false
    ) {
        let life = ProcessStatus(of: pid)?.life
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.process = process
        self.isContained = isContained
        // Check this after reading the status: while the process lives, its id is not reused.
        self.life = process?.isAlive ?? true ? life : nil
    }

    /// A process that has ended.
    package init(gone pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        (life, process, isContained) = (nil, nil, false)
    }

    /// True once nothing can be known any more of what it was. Not of a process that the daemon
    /// cannot see, in another PID namespace.
    var hasEnded: Bool {
        if let process { return !process.isAlive }
        return pid > 0 && !isAlive
    }

    /// False once its process id may belong to another process.
    package var isAlive: Bool {
        guard let life else { return false }
        return process?.isAlive ?? (ProcessStatus(of: life.id)?.life == life)
    }

    /// Asks about the process's id, or about 0 once the id may belong to another process.
    func asking<Answer>(_ question: (_ process: Int32) -> Answer) -> Answer {
        guard isAlive else { return question(0) }
        let answer = question(pid)
        return isAlive ? answer : question(0)
    }
}

/// One call of a method, on the thread that serves its connection.
package struct VarlinkCall {
    /// The method's name without the interface's.
    package let method: String
    package let parameters: Parameters
    package let peer: Peer
    /// True if the caller accepts several replies.
    package let wantsMore: Bool
    /// The connection that it came over.
    package let connectionID: ConnectionID

    private let connection: Descriptor?
    private let descriptors: [Descriptor]
    private let send: ([String: JSONValue]) throws -> Void
    private var slot: CallSlot?

    package init(
        method: String, parameters: Parameters, peer: Peer, wantsMore: Bool = false,
        connectionID: ConnectionID = ConnectionID(),
        connection: Descriptor? = nil, descriptors: [Descriptor] = [],
        send: @escaping ([String: JSONValue]) throws -> Void = { _ in }
    ) {
        self.method = method
        self.parameters = parameters
        self.peer = peer
        self.wantsMore = wantsMore
        self.connectionID = connectionID
        self.connection = connection
        self.descriptors = descriptors
        self.send = send
    }

    /// The parameters as the method's type. Unknown parameters are refused.
    func request<Request: VarlinkRequest>(
        _ type: Request.Type = Request.self
    ) throws(VarlinkError) -> Request {
        try parameters.allowOnly(Request.codec.names)
        return try Request(parameters)
    }

    /// The method as a case of its interface's `methods`.
    func method<Method: RawRepresentable<String>>(
        of methods: Method.Type
    ) throws(VarlinkError) -> Method {
        guard let known = Method(rawValue: method) else { throw .methodNotFound(method) }
        return known
    }

    /// The descriptor whose index the named parameter holds; nil when the parameter is missing or
    /// null.
    ///
    /// It is closed after the call unless the handler keeps a reference.
    package func descriptor(_ name: String) throws(VarlinkError) -> Descriptor? {
        guard let index: Int = try parameters.value(name) else { return nil }
        return try descriptor(at: index, name)
    }

    /// One of a list, which the parameter `name` is.
    func descriptor(at index: Int, _ name: String) throws(VarlinkError) -> Descriptor {
        guard descriptors.indices.contains(index) else { throw .invalidParameter(name) }
        return descriptors[index]
    }

    // POLLRDHUP, from <bits/poll.h>: a caller that shuts down its sending side counts as gone too.
    private static let hangUp: Int16 = 0x2000

    /// False once the caller has hung up or the server stops.
    package var isConnected: Bool {
        guard let connection else { return true }
        var waiting = pollfd(fd: connection.raw, events: Self.hangUp, revents: 0)
        return withExtendedLifetime(connection) { poll(&waiting, 1, 0) } == 0
    }

    /// False if sending a reply would block.
    package var takesReplies: Bool {
        guard let connection else { return true }
        var waiting = pollfd(fd: connection.raw, events: Int16(POLLOUT), revents: 0)
        return withExtendedLifetime(connection) { poll(&waiting, 1, 0) } > 0
            && waiting.revents & Int16(POLLOUT) != 0
    }

    /// Waits until `other` is readable; false once the caller has hung up or the server stops.
    package func waitWhileConnected(for other: Descriptor) -> Bool {
        guard let connection else { return false }
        var waiting = [
            pollfd(fd: other.raw, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connection.raw, events: Self.hangUp, revents: 0),
        ]
        do throws(Errno) { _ = try retrying { poll(&waiting, 2, -1) } } catch { return false }
        return waiting[1].revents == 0
    }

    /// Waits until `other` is readable or that time has passed, without the call's share of its
    /// user's calls; false once the caller has hung up or the server stops.
    func wait(for other: Descriptor, atMostSeconds seconds: Int) -> Bool {
        func wait() -> Bool {
            // Without a connection, which only tests are, nobody hangs up: poll(2) skips -1.
            var waiting = [
                pollfd(fd: other.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: connection?.raw ?? -1, events: Self.hangUp, revents: 0),
            ]
            let deadline = Deadline(seconds: seconds)
            var result: Int32 = -1
            repeat {
                result = poll(&waiting, 2, Int32(clamping: deadline.secondsLeft * 1000))
            } while result < 0 && errno == EINTR && !deadline.hasPassed
            return waiting[1].revents == 0
        }
        return withExtendedLifetime((other, connection)) { slot?.givingBack(wait) ?? wait() }
    }

    /// The same call, with its slot.
    func holding(_ slot: CallSlot) -> VarlinkCall {
        var call = self
        call.slot = slot
        return call
    }

    /// Sends one reply of several (`continues: true`); the handler's result is the last one.
    ///
    /// Throws `ExpectedMore` if the caller did not ask for a stream, and another error if it has
    /// hung up or does not read: let that error end the handler.
    package func reply(_ reply: some VarlinkReply) throws {
        guard wantsMore else { throw VarlinkError.expectedMore }
        try send(reply.members)
    }
}
