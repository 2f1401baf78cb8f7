// The switches that programs of a login session are asked for, and what waits for their answers.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// Asks the programs of a session to show another identity.
package struct SwitchRequest: Sendable {
    package let id: Int
    package let session: LoginSession
    /// Empty for an unmanaged one.
    package let name: String
    package let reason: SwitchReason
}

/// Who answers, and what waits. Only programs that said that they answer are waited for
/// (docs/adr/0087-switches-are-answered.md).
package final class SwitchRequests: Sendable {
    /// How long an operation waits for an answer.
    package static let seconds = 10

    private struct State {
        var lastID = 0
        var answering: [LoginSession: Int] = [:]
        var waiting: [Int: WaitingSwitch] = [:]
    }

    private let state = Mutex(State())
    private let hub = Hub<SwitchRequest>()

    package init() {}

    /// A program that answers, until the result goes.
    package func answerer(in session: LoginSession) throws(Errno) -> SwitchAnswerer {
        let requests = try hub.subscribe()
        state.withLock { $0.answering[session, default: 0] += 1 }
        return SwitchAnswerer(session, requests, of: self)
    }

    /// Nil if nobody in the session answers.
    package func ask(
        _ session: LoginSession, for name: String, because reason: SwitchReason
    ) throws(Errno) -> WaitingSwitch? {
        guard state.withLock({ $0.answering[session] != nil }) else { return nil }
        let wakeUp = try WakeUpDescriptor()
        let waiting = state.withLock { state -> WaitingSwitch? in
            guard state.answering[session] != nil else { return nil }
            state.lastID += 1
            let request = SwitchRequest(
                id: state.lastID, session: session, name: name, reason: reason)
            let waiting = WaitingSwitch(request, wakeUp)
            state.waiting[request.id] = waiting
            return waiting
        }
        if let waiting { hub.send(waiting.request) }
        return waiting
    }

    /// False if nothing of the session waits for it. The first answer counts.
    package func answer(
        _ id: Int, from session: LoginSession, _ result: SwitchResult
    ) -> Bool {
        let waiting = state.withLock { state -> WaitingSwitch? in
            guard state.waiting[id]?.request.session == session else { return nil }
            return state.waiting.removeValue(forKey: id)
        }
        waiting?.end(.answered(result))
        return waiting != nil
    }

    /// Forgets what nobody waits for any more.
    package func withdraw(_ waiting: WaitingSwitch) {
        state.withLock { _ = $0.waiting.removeValue(forKey: waiting.request.id) }
    }

    fileprivate func ended(in session: LoginSession) {
        let left = state.withLock { state -> [WaitingSwitch] in
            let count = (state.answering[session] ?? 1) - 1
            state.answering[session] = count > 0 ? count : nil
            guard count <= 0 else { return [] }
            let left = state.waiting.values.filter { $0.request.session == session }
            for waiting in left { state.waiting[waiting.request.id] = nil }
            return left
        }
        for waiting in left { waiting.end(.unheard) }
    }
}

/// One operation that waits.
package final class WaitingSwitch: Sendable {
    package enum End: Sendable, Equatable {
        case answered(SwitchResult)
        /// All programs that answer have ended.
        case unheard
    }

    package let request: SwitchRequest
    private let wakeUp: WakeUpDescriptor
    private let state = Mutex<End?>(nil)

    fileprivate init(_ request: SwitchRequest, _ wakeUp: WakeUpDescriptor) {
        (self.request, self.wakeUp) = (request, wakeUp)
    }

    /// Readable once there is an ``end``.
    package var readable: Descriptor { wakeUp.descriptor }

    package var end: End? { state.withLock(\.self) }

    fileprivate func end(_ end: End) {
        state.withLock { $0 = end }
        wakeUp.signal()
    }
}

/// A program that answers.
package final class SwitchAnswerer: Sendable {
    private let session: LoginSession
    private let subscription: Subscription<SwitchRequest>
    private let requests: SwitchRequests

    fileprivate init(
        _ session: LoginSession, _ subscription: Subscription<SwitchRequest>,
        of requests: SwitchRequests
    ) {
        (self.session, self.subscription, self.requests) = (session, subscription, requests)
    }

    package var readable: Descriptor { subscription.readable }

    package func take() -> [SwitchRequest] {
        subscription.take().filter { $0.session == session }
    }

    deinit { requests.ended(in: session) }
}

/// `IntuneMAMIdentitySwitchReason`.
package enum SwitchReason: Int, Sendable {
    /// A link is opened for the account.
    case openURL
    /// The launch of an account was cancelled.
    case launchCanceled
    /// A document of the account was imported.
    case documentImport
}

/// `IntuneMAMSwitchIdentityResult`.
package enum SwitchResult: Int, Sendable {
    case success, canceled, notAllowed, failed

    package var word: String {
        switch self {
        case .success: "success"
        case .canceled: "canceled"
        case .notAllowed: "notAllowed"
        case .failed: "failed"
        }
    }
}
