// Telling whoever listens that an account's files come and go.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// Something that happens to an account's files of the classes that a lock closes.
package struct AccountEvent: Sendable {
    package enum Kind: Sendable, Equatable {
        /// In so many seconds; 0: now.
        case willBecomeUnavailable(seconds: Int)
        case unavailable
        case available
        /// Policy keeps it closed.
        case blocked(AccountBlock)
        case unblocked
        /// It is destroyed, and all its files are gone.
        case wiped
    }

    package let kind: Kind
    package let account: AccountID
    /// As it was, of an account that is not here any more.
    package var last: AccountStatus?
}

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

    func announce(_ kind: AccountEvent.Kind, _ account: AccountID) {
        events.send(AccountEvent(kind: kind, account: account))
    }
}
