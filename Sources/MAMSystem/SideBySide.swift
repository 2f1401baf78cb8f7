// Runs the same work for several elements in parallel.

internal import MAMLocks
internal import MAMModel

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
