// Threads, and waiting for them.

internal import Glibc
internal import Synchronization

private final class Crowd: Sendable {
    let body: @Sendable (Int) throws -> Void
    let next = Atomic(0)
    let failure = Mutex<String?>(nil)
    init(_ body: @escaping @Sendable (Int) throws -> Void) { self.body = body }
}

/// Runs the body with each number on a thread of its own, and waits; throws what the last of them
/// threw.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let crowd = Crowd(body)
    var threads: [pthread_t] = []
    for _ in 0..<count {
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let crowd = Unmanaged<Crowd>.fromOpaque(argument).takeRetainedValue()
                let number = crowd.next.add(1, ordering: .relaxed).oldValue
                do { try crowd.body(number) } catch { crowd.failure.withLock { $0 = "\(error)" } }
                return nil
            }, Unmanaged.passRetained(crowd).toOpaque())
        try expect(status == 0, "pthread_create: \(status)")
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
    if let failure = crowd.failure.withLock({ $0 }) { throw Failed(description: failure) }
}
