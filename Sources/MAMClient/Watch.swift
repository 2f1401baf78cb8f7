// Account events: the SDK's notifications and delegates.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import Synchronization

extension Workspace {
    /// Subscribes to events of the caller's accounts.
    public func watch() throws(MAMError) -> Watch {
        do throws(VarlinkClient.Failure) {
            let path = service.socketPath
            return Watch(
                try VarlinkClient.connect(to: path, mountOf: service.mountOwner), to: path)
        } catch { throw MAMError(error) }
    }
}

/// A connection that receives events, starting with the current state of each account.
///
/// One thread listens; any other may stop it.
public final class Watch: Sendable {
    private let socket: Descriptor
    private let path: String
    private let isStopped = Atomic(false)

    init(_ socket: Descriptor, to path: String) {
        self.socket = socket
        self.path = path
    }

    /// Calls `body` with each event on this thread, until it returns false or the watch is stopped.
    /// Throws when the daemon ends.
    ///
    /// Call once. With more than 256 queued events, a slow `body` loses the oldest.
    public func forEach(_ body: (Event) -> Bool) throws(MAMError) {
        do throws(VarlinkClient.Failure) {
            var client = try VarlinkClient(socket, to: path)
            try client.stream(Varlink.Workspace.Watch()) { body(Event($0.event)) }
        } catch {
            if !isStopped.load(ordering: .sequentiallyConsistent) { throw MAMError(error) }
        }
    }

    /// Ends ``forEach(_:)``, from any thread.
    public func stop() {
        isStopped.store(true, ordering: .sequentiallyConsistent)
        withExtendedLifetime(socket) { _ = shutdown(socket.raw, Int32(SHUT_RDWR)) }
    }
}
