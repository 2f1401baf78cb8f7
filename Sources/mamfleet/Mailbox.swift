// Messages from any thread to one.

internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Any thread may put a message, and one thread takes all that are there.
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

    /// Takes all messages; empty if the deadline passes first.
    func take(until deadline: Deadline) -> [Message] {
        semaphore.wait(until: deadline) {
            messages.withLock { messages in
                defer { messages.removeAll() }
                return messages
            }
        }
    }
}

/// A deadline in `seconds`, give or take a fifth.
func jittered(seconds: Int) -> Deadline {
    Deadline(milliseconds: Int.random(in: seconds * 800...seconds * 1200))
}

extension Semaphore {
    /// What `take` finds as soon as it finds anything; empty if the deadline passes first.
    func wait<Found>(until deadline: Deadline, _ take: () -> [Found]) -> [Found] {
        while true {
            let found = take()
            guard found.isEmpty, wait(until: deadline) else { return found }
        }
    }
}
