// Calls to the daemon. Each uses its own connection, so that threads do not wait for each other,
// and a restarted daemon is found again.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// The daemon of one workspace.
struct Service: Sendable {
    let socketPath: String
    /// The user who made the mount being asked about; nil if the workspace was not found by a
    /// mount.
    var mountOwner: UInt32?

    func connect() throws(MAMError) -> VarlinkClient {
        do throws(VarlinkClient.Failure) {
            return try VarlinkClient(path: socketPath, mountOf: mountOwner)
        } catch { throw MAMError(error) }
    }

    /// Calls a method over its own connection.
    @discardableResult
    func call<Request: VarlinkRequest>(
        _ request: Request, _ descriptors: [Descriptor] = []
    ) throws(MAMError) -> Request.Reply {
        var client = try connect()
        return try client.ask(request, descriptors)
    }

    /// Calls and converts the reply.
    func call<Request: VarlinkRequest, Value>(
        _ request: Request, _ descriptors: [Descriptor] = [],
        _ read: (Request.Reply) throws(VarlinkError) -> Value
    ) throws(MAMError) -> Value {
        let reply = try call(request, descriptors)
        do throws(VarlinkError) { return try read(reply) } catch { throw .unknownAnswer(error) }
    }
}

extension VarlinkClient {
    @discardableResult
    mutating func ask<Request: VarlinkRequest>(
        _ request: Request, _ descriptors: [Descriptor] = []
    ) throws(MAMError) -> Request.Reply {
        do throws(Failure) { return try call(request, descriptors: descriptors) } catch {
            throw MAMError(error)
        }
    }
}
