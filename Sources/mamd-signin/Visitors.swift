// Who connects to the loopback's port: read side by side, so that nobody keeps the browser waiting.

import Glibc
import MAMModel
import MAMSystem

struct Visitors: ~Copyable {
    private let listener: Descriptor
    private var open: [Visitor] = []

    private struct Visitor {
        let connection: Descriptor
        /// Of all that it says, however slowly.
        let end = Deadline(seconds: 10)
        var head: [UInt8] = []

        var line: [UInt8]? {
            guard let end = head.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            return head[..<end].filter { $0 != UInt8(ascii: "\r") }
        }
    }

    /// Beyond it the oldest goes: a browser has said what it wants long before.
    private static let maximumCount = 64
    private static let maximumByteCount = 16_384

    init(at listener: Descriptor) { self.listener = listener }

    /// The first line that a visitor has said, and its connection, which answers without waiting.
    mutating func next(by deadline: Deadline) -> (line: [UInt8], of: Descriptor)? {
        while !deadline.hasPassed {
            let known = open
            let ready = wait()
            open = []
            var said: (line: [UInt8], of: Descriptor)?
            for (visitor, isReady) in zip(known, ready.dropFirst()) where !visitor.end.hasPassed {
                guard isReady, said == nil else {
                    open.append(visitor)
                    continue
                }
                guard let heard = hear(visitor) else { continue }
                if let line = heard.line {
                    said = (line, heard.connection)
                } else {
                    open.append(heard)
                }
            }
            if ready.first == true { admit() }
            if let said { return said }
        }
        return nil
    }

    /// Whether the listener and each visitor have something, after a second at most.
    private func wait() -> [Bool] {
        var waiting = ([listener] + open.map(\.connection)).map {
            pollfd(fd: $0.raw, events: Int16(POLLIN), revents: 0)
        }
        // Nothing is ready after an error either.
        poll(&waiting, nfds_t(waiting.count), 1000)
        return waiting.map { $0.revents != 0 }
    }

    private mutating func admit() {
        let connection = accept(listener.raw, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        if open.count >= Self.maximumCount { open.removeFirst() }
        open.append(Visitor(connection: Descriptor(owning: connection)))
    }

    /// With what it has said by now; nil if it has gone, or says too much.
    private func hear(_ visitor: Visitor) -> Visitor? {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = read(visitor.connection.raw, &piece, piece.count)
        guard count > 0 else { return nil }
        var visitor = visitor
        visitor.head += piece[..<count]
        return visitor.head.count < Self.maximumByteCount || visitor.line != nil ? visitor : nil
    }
}
