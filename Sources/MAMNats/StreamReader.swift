// Reads a stream in batches. The server keeps nothing for it: a consumer would live on one of the
// servers, and be gone with it.

internal import MAMModel

/// Where a reader is in a stream. What fails can be called again, on another connection too.
package struct StreamReader {
    private let stream: String
    /// All messages if it is nil.
    private let subject: String?
    /// The number of the first message that was not read.
    private var next: UInt64
    /// How many numbers a batch covers: streams have holes where messages were replaced.
    private var span: UInt64 = 256

    private static let laneCount = 32
    private static let spans: ClosedRange<UInt64> = 32...(1 << 20)
    private static let fewestCount = 64
    /// Lanes end early when a batch has so much.
    private static let batchCount = 500
    private static let batchByteCount = 8 << 20

    package init(_ stream: String, from start: UInt64, subject: String? = nil) {
        (self.stream, self.subject, next) = (stream, subject, max(1, start))
    }

    /// The next messages, in order; empty if there are none.
    package mutating func read(
        _ connection: NatsConnection, milliseconds: Int64
    ) throws(NatsFailure) -> [StreamedMessage] {
        while true {
            var batch = Batch(lanes())
            try batch.fill(connection, stream, subject ?? ">", milliseconds)
            let messages = batch.inOrder()
            next = batch.end
            adapt(to: messages.count, batch.byteCount)
            if !messages.isEmpty || batch.isLast { return messages }
        }
    }

    /// The numbers that each lane reads. Few messages of one subject take the server a search each,
    /// so these are read one after the other.
    private func lanes() -> [Range<UInt64>] {
        guard subject == nil else { return [next..<UInt64.max] }
        let width = span / UInt64(Self.laneCount)
        return (0..<UInt64(Self.laneCount)).map { lane in
            (next + lane * width)..<(next + (lane + 1) * width)
        }
    }

    private mutating func adapt(to count: Int, _ byteCount: Int) {
        if count > Self.batchCount / 2 || byteCount > Self.batchByteCount / 2 {
            span = max(Self.spans.lowerBound, span / 2)
        } else if count < Self.fewestCount {
            span = min(Self.spans.upperBound, span * 4)
        }
    }

    /// Messages on their way, lane by lane.
    private struct Batch {
        private var lanes: [Lane]
        private(set) var count = 0
        private(set) var byteCount = 0
        /// The number behind the last that is known.
        private(set) var end: UInt64
        /// Whether the stream has nothing behind these messages.
        private(set) var isLast = false

        private struct Lane {
            let range: Range<UInt64>
            /// The number of the next message, or where it may be.
            var next: UInt64
            /// Whether the stream has none from `next` on.
            var isAtEnd = false
            var messages: [StreamedMessage] = []
        }

        init(_ ranges: [Range<UInt64>]) {
            lanes = ranges.map { Lane(range: $0, next: $0.lowerBound) }
            end = ranges[0].lowerBound
        }

        mutating func fill(
            _ connection: NatsConnection, _ stream: String, _ filter: String, _ milliseconds: Int64
        ) throws(NatsFailure) {
            func request(from number: UInt64) -> NatsRequest {
                StreamedMessage.request(
                    ["seq": .integer(Int64(clamping: number)), "next_by_subj": .string(filter)],
                    of: stream)
            }
            let first = lanes.map { request(from: $0.next) }
            try connection.ask(first, milliseconds: milliseconds) {
                lane, answer throws(NatsFailure) in
                take(try StreamedMessage.parse(answer), lane)
                return isFull || isDone(lane) ? nil : request(from: lanes[lane].next)
            }
        }

        private mutating func take(_ message: StreamedMessage?, _ lane: Int) {
            guard let message else {
                lanes[lane].isAtEnd = true
                return
            }
            lanes[lane].next = message.sequence
            guard lanes[lane].range.contains(message.sequence) else { return }
            lanes[lane].next += 1
            lanes[lane].messages.append(message)
            count += 1
            byteCount += message.payload.count
        }

        private var isFull: Bool {
            count >= StreamReader.batchCount || byteCount >= StreamReader.batchByteCount
        }

        private func isDone(_ lane: Int) -> Bool {
            lanes[lane].isAtEnd || !lanes[lane].range.contains(lanes[lane].next)
        }

        /// The messages up to the first gap that a lane has left. A lane that has found the end was
        /// answered before the newest were stored, if one behind it has found more.
        mutating func inOrder() -> [StreamedMessage] {
            var found: [StreamedMessage] = []
            for (number, lane) in lanes.enumerated() {
                found += lane.messages
                end = lane.messages.last.map { $0.sequence + 1 } ?? end
                if lane.isAtEnd {
                    isLast = lanes[(number + 1)...].allSatisfy {
                        $0.isAtEnd && $0.messages.isEmpty
                    }
                    return found
                }
                end = lane.next
                if !isDone(number) { return found }
            }
            return found
        }
    }
}
