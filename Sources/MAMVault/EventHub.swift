// Telling whoever listens what happens.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// One listener's events, until it is let go.
package final class EventSubscription: Sendable {
    private let wakeUp: WakeUpDescriptor
    private let waiting = Mutex<[AccountEvent]>([])

    /// A listener that does not listen loses the oldest.
    private static let limit = 256

    init() throws(Errno) { wakeUp = try WakeUpDescriptor() }

    /// Readable when there may be something to take.
    package var readable: Descriptor { wakeUp.descriptor }

    /// What has happened since this was last asked.
    package func take() -> [AccountEvent] {
        wakeUp.clear()
        return waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    func add(_ event: AccountEvent) {
        waiting.withLock { waiting in
            if waiting.count == Self.limit { waiting.removeFirst() }
            waiting.append(event)
        }
        wakeUp.signal()
    }
}

/// All listeners of a vault.
final class EventHub: Sendable {
    private struct Listener: @unchecked Sendable {
        // Read and written under the mutex alone; the subscription itself is Sendable.
        weak var subscription: EventSubscription?
    }

    private let listeners = Mutex<[Listener]>([])

    func subscribe() throws(Errno) -> EventSubscription {
        let subscription = try EventSubscription()
        listeners.withLock { listeners in
            listeners.removeAll { $0.subscription == nil }
            listeners.append(Listener(subscription: subscription))
        }
        return subscription
    }

    func send(_ event: AccountEvent) {
        let subscriptions = listeners.withLock { $0.compactMap(\.subscription) }
        for subscription in subscriptions { subscription.add(event) }
    }
}

extension Vault {
    /// Listens from now on.
    package func subscribe() throws(Errno) -> EventSubscription { try events.subscribe() }

    /// Tells all listeners; without an account, of the workspace.
    ///
    /// `last`: as it was, of an account that is not here any more.
    package func announce(
        _ kind: AccountEvent.Kind, _ account: AccountID? = nil, last: AccountStatus? = nil
    ) {
        metrics.count(kind)
        events.send(AccountEvent(kind: kind, account: account, last: last))
    }
}
