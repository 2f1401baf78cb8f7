// What one thread tells another.

internal import MAMSystem
internal import Synchronization

/// Any thread puts, one takes all that is there.
final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let semaphore = Semaphore()

    func put(_ message: Message) {
        let wasEmpty = messages.withLock { messages in
            messages.append(message)
            return messages.count == 1
        }
        if wasEmpty { semaphore.signal() }
    }

    /// Empty if the deadline passes first.
    func take(until deadline: Deadline) -> [Message] {
        while true {
            let found = messages.withLock { messages in
                let all = messages
                messages.removeAll()
                return all
            }
            guard found.isEmpty else { return found }
            guard semaphore.wait(until: deadline) else { return [] }
        }
    }
}

/// `seconds`, give or take a fifth.
func jittered(seconds: Int) -> Deadline {
    Deadline(milliseconds: Int.random(in: seconds * 800...seconds * 1200))
}
