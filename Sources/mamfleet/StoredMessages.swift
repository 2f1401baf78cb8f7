// What a stream has already.

internal import MAMCommandLine
internal import MAMCrypto
internal import MAMEngine
internal import MAMNats

/// Asks the stream's leader: another replica may be behind, and a bundle that is taken for
/// unchanged is not published.
struct StoredMessages {
    private let link: OfficeLink
    private let stream: MAMEngine.Stream

    struct Newest {
        let sequence: UInt64
        let digest: [UInt8]
    }

    /// How many subjects are one step of the link, and how many are asked for at once: of long
    /// messages one, or the server would have to hold too many back.
    private static let (stepCount, laneCount) = (512, 32)
    private static let longByteCount = 64 << 10
    private static let longMilliseconds: Int64 = 5000

    init(_ link: OfficeLink, _ stream: MAMEngine.Stream) {
        (self.link, self.stream) = (link, stream)
    }

    /// By subject. `lengths`: about how long the messages of the subjects are.
    func newest(of lengths: [String: Int]) throws(Failure) -> [String: Newest] {
        try read(of: lengths) {
            Newest(sequence: $0.sequence, digest: SHA256.digest(of: $0.payload))
        }
    }

    /// What `value` makes of the newest message of each subject.
    func read<Value>(
        of lengths: [String: Int], _ value: (StreamedMessage) -> Value
    ) throws(Failure) -> [String: Value] {
        var found: [String: Value] = [:]
        let long = lengths.filter { $0.value > Self.longByteCount }.keys.sorted()
        let others = lengths.filter { $0.value <= Self.longByteCount }.keys.sorted()
        try add(others, to: &found, lanes: Self.laneCount, atLeast: 0, value)
        try add(long, to: &found, lanes: 1, atLeast: Self.longMilliseconds, value)
        return found
    }

    private func add<Value>(
        _ subjects: [String], to found: inout [String: Value], lanes: Int, atLeast least: Int64,
        _ value: (StreamedMessage) -> Value
    ) throws(Failure) {
        for start in stride(from: 0, to: subjects.count, by: Self.stepCount) {
            // What a failed attempt has got is not asked for again.
            var waiting = Set(subjects[start..<min(start + Self.stepCount, subjects.count)])
            try link.step("the stream \(stream.rawValue)") {
                connection, milliseconds throws(NatsFailure) in
                try connection.lastMessages(
                    of: waiting, in: stream.rawValue, lanes: lanes,
                    milliseconds: max(milliseconds, least)
                ) { subject, message in
                    waiting.remove(subject)
                    found[subject] = message.map(value)
                }
            }
            link.progress.show { _ in "\(found.count) messages of \(stream.rawValue) compared" }
        }
    }
}
