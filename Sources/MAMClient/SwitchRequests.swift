// The SDK's identitySwitchRequired, which a program answers.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// What this login session should show, before data arrives.
public struct SwitchRequest: Sendable, Hashable {
    /// `IntuneMAMIdentitySwitchReason`, by the SDK's numbers.
    public enum Reason: Int, Sendable, Hashable {
        /// A link is opened for the account.
        case openURL = 0
        /// A document of the account arrives.
        case documentImport = 2
    }

    /// The account to show; empty for an unmanaged one.
    public let accountId: String
    /// Nil for a reason that only a later version knows.
    public let reason: Reason?
    /// The login session.
    public let session: String
    /// How long the operation waits for the answer.
    public let seconds: Int
    fileprivate let id: Int

    fileprivate init(_ wire: Varlink.Identity.SwitchRequest) {
        accountId = wire.name
        reason = Reason(rawValue: wire.reason)
        session = wire.session
        seconds = wire.seconds
        id = wire.id
    }
}

extension Workspace {
    /// The switches that programs of this login session are asked for. While one of them listens,
    /// operations that need a switch wait for an answer.
    public func switchRequests() throws(MAMError) -> SwitchRequests {
        do throws(VarlinkClient.Failure) {
            let socket = try VarlinkClient.connect(
                to: service.socketPath, mountOf: service.mountOwner)
            return SwitchRequests(socket, service)
        } catch { throw MAMError(error) }
    }
}

/// A connection that receives requests to switch. One thread listens; any other may stop it.
public final class SwitchRequests: Sendable {
    private let socket: Descriptor
    private let service: Service
    private let isStopped = Atomic(false)

    init(_ socket: Descriptor, _ service: Service) {
        (self.socket, self.service) = (socket, service)
    }

    /// Has each request answered on this thread, until ``stop()``: the operation goes on after
    /// `success`, and is refused else. Call once.
    ///
    /// - Parameters:
    ///   - whenReady: called once answers are waited for.
    ///   - body: the answer.
    /// - Throws: when the daemon ends.
    public func forEach(
        whenReady: () -> Void = {}, _ body: (SwitchRequest) -> SwitchIdentityResult.Code
    ) throws(MAMError) {
        do throws(VarlinkClient.Failure) {
            var client = try VarlinkClient(socket, to: service.socketPath)
            try client.stream(Varlink.Identity.AwaitSwitches()) { reply in
                guard let wire = reply.request else {
                    whenReady()
                    return true
                }
                let request = SwitchRequest(wire)
                // Too late, or answered by another program: nothing waits for it any more.
                _ = try? service.call(
                    Varlink.Identity.AnswerSwitch(id: request.id, result: body(request).rawValue))
                return true
            }
        } catch {
            if !isStopped.load(ordering: .sequentiallyConsistent) { throw MAMError(error) }
        }
    }

    /// Ends ``forEach(whenReady:_:)``, from any thread.
    public func stop() {
        isStopped.store(true, ordering: .sequentiallyConsistent)
        withExtendedLifetime(socket) { _ = shutdown(socket.raw, Int32(SHUT_RDWR)) }
    }
}
