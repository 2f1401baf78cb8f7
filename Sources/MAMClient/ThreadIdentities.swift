// The identities of this process's threads. The daemon keeps them for as long as the connection
// that set them.

internal import MAMModel
internal import MAMWire
internal import Synchronization

/// The one permanent connection, which sets all threads' identities.
final class ThreadIdentities: Sendable {
    private let service: Service
    private let client = Mutex<VarlinkClient?>(nil)

    init(_ service: Service) { self.service = service }

    /// Sets the calling thread's identity; nil: back to the process's.
    func set(_ identity: String?) throws(MAMError) {
        let request = Varlink.Identity.SetThreadIdentity(thread: currentThread, identity: identity)
        try withClient { client throws(MAMError) in
            _ = try client.ask(request)
        }
    }

    /// Reconnects once if the connection broke because the daemon was restarted.
    private func withClient<Value: Sendable>(
        _ body: (inout VarlinkClient) throws(MAMError) -> Value
    ) throws(MAMError) -> Value {
        let result: Result<Value, MAMError> = client.withLock { client in
            if var open = client.take() {
                let result = attempt(&open, body)
                if !result.isUnreachable {
                    client = consume open
                    return result
                }
            }
            do throws(MAMError) {
                var new = try service.connect()
                let result = attempt(&new, body)
                client = consume new
                return result
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}

/// Returns a `Result`, because `withLock` would rethrow any error.
private func attempt<Value: Sendable>(
    _ client: inout VarlinkClient, _ body: (inout VarlinkClient) throws(MAMError) -> Value
) -> Result<Value, MAMError> {
    do throws(MAMError) { return .success(try body(&client)) } catch { return .failure(error) }
}

extension Result where Failure == MAMError {
    fileprivate var isUnreachable: Bool {
        if case .failure(let error) = self { error.code == .unreachable } else { false }
    }
}
