// What the tests wait with.

import Glibc

/// A thread that is joined: what belongs to it is gone then.
struct TestThread: @unchecked Sendable {
    // Only ever passed to pthread_join(3).
    private let thread: pthread_t

    init(_ body: @escaping @Sendable () -> Void) {
        final class Start: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, start.toOpaque())
        precondition(status == 0, "no thread")
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}
