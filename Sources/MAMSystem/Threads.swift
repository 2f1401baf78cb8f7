// Plain threads, for the data path and everything that may block in the kernel.

internal import CShims
internal import Glibc
internal import MAMLocks
package import MAMModel

/// Starts a detached thread with a name of at most 15 bytes. `EAGAIN` at the limit on threads.
///
/// `body` is `@Sendable`, so it never inherits the main actor's isolation.
package func startThread(
    named name: String, _ body: @escaping @Sendable () -> Void
) throws(Errno) {
    final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void
        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    let start = Unmanaged.passRetained(Start(name, body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, nil,
        { argument in
            guard let argument else { return nil }
            let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
            mam_name_thread(start.name)
            start.body()
            return nil
        }, start.toOpaque())
    if status != 0 {
        start.release()
        throw Errno(rawValue: status)
    }
    pthread_detach(thread)
}

/// Runs `body` for each element on its own thread, and returns when all have ended. A single
/// element runs on the caller's.
package func sideBySide<Element: Sendable, Value: Sendable>(
    _ elements: [Element], named name: String, _ body: @escaping @Sendable (Element) -> Value
) -> [Value] {
    guard elements.count > 1 else { return elements.map(body) }
    let found = Guarded<[Value]>([])
    let ended = Semaphore()
    let work: @Sendable (Element) -> Void = { element in
        let value = body(element)
        found.withLock { $0.append(value) }
        ended.signal()
    }
    for element in elements {
        do throws(Errno) { try startThread(named: name) { work(element) } } catch {
            // No thread could be started: run it here.
            work(element)
        }
    }
    for _ in elements { ended.wait() }
    return found.withLock { $0 }
}
