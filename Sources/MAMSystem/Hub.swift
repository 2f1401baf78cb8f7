// Broadcasts events to listeners.

package import MAMModel
internal import Synchronization

/// One listener's event queue.
package final class Subscription<Event: Sendable>: Sendable {
    private let wakeUp: WakeUpDescriptor
    private let waiting = Mutex<[Event]>([])

    /// A listener that falls behind loses the oldest events.
    private static var limit: Int { 256 }

    init() throws(Errno) { wakeUp = try WakeUpDescriptor() }

    /// Readable when events may be queued.
    package var readable: Descriptor { wakeUp.descriptor }

    /// The events since the last call.
    package func take() -> [Event] {
        wakeUp.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    func add(_ event: Event) {
        waiting.withLock { waiting in
            if waiting.count == Self.limit { waiting.removeFirst() }
            waiting.append(event)
        }
        wakeUp.signal()
    }
}

/// All listeners.
package final class Hub<Event: Sendable>: Sendable {
    private struct Listener: @unchecked Sendable {
        // Accessed only under the mutex; the subscription itself is Sendable.
        weak var subscription: Subscription<Event>?
    }

    private let listeners = Mutex<[Listener]>([])

    package init() {}

    package func subscribe() throws(Errno) -> Subscription<Event> {
        let subscription = try Subscription<Event>()
        listeners.withLock { listeners in
            listeners.removeAll { $0.subscription == nil }
            listeners.append(Listener(subscription: subscription))
        }
        return subscription
    }

    package func send(_ event: Event) {
        let subscriptions = listeners.withLock { $0.compactMap(\.subscription) }
        for subscription in subscriptions { subscription.add(event) }
    }
}
