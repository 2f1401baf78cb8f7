// The same work for several things at once.

/// Runs a body for each element on a thread of its own, and returns when all have ended. A single
/// one needs no thread.
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
            // No thread to wait for: then it is done here.
            work(element)
        }
    }
    for _ in elements { ended.wait() }
    return found.withLock { $0 }
}
