// For whom the threads of this process work. What the daemon knows of that lasts as long as the
// connection that said it.

internal import MAMModel
internal import MAMWire
internal import Synchronization

/// The one connection that stays: all threads' identities are set over it.
final class ThreadIdentities: Sendable {
    private let service: Service
    private let client = Mutex<VarlinkClient?>(nil)

    init(_ service: Service) { self.service = service }

    /// Sets the calling thread's identity; nil: it has its process's again.
    func set(_ identity: String?) throws(MAMError) {
        let parameters = ["thread": JSONValue(currentThread), "identity": JSONValue(identity)]
        try withClient { client throws(MAMError) in
            try client.ask("Identity.SetThreadIdentity", parameters) { _ in }
        }
    }

    /// A connection that broke, because the daemon was started anew, is made again once.
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

/// As a value: `withLock` rethrows any error.
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
