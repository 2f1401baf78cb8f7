// What the daemon has said about documents, so that it is not asked again.

internal import MAMCrypto
internal import MAMModel
internal import MAMSystem

/// What the daemon has said, by the documents' SHA-256. All is forgotten when the daemon restarts;
/// of too many the oldest go first.
struct Verdicts {
    /// Accepted, known, or obeyed before.
    private var settled: Set<Digest> = []
    /// Refused, and until when. A root, a membership or the time may change that.
    private var refused: [Digest: Deadline] = [:]
    private var order: [Digest] = []

    typealias Digest = [UInt8]

    private static let maximumCount = 20_000
    private static let refusedSeconds = 3600

    static func digest(of text: [UInt8]) -> Digest { SHA256.digest(of: text) }

    func isKnown(_ digest: Digest) -> Bool { settled.contains(digest) || isRefused(digest) }

    func isRefused(_ digest: Digest) -> Bool {
        refused[digest].map { !$0.hasPassed } ?? false
    }

    mutating func settle(_ digest: Digest) {
        refused[digest] = nil
        if settled.insert(digest).inserted { keep(digest) }
    }

    mutating func refuse(_ digest: Digest) {
        let end = Deadline(seconds: Self.refusedSeconds)
        if refused.updateValue(end, forKey: digest) == nil { keep(digest) }
    }

    /// Forgets refusals after a change that may undo them.
    mutating func forgetRefusals() { refused.removeAll() }

    private mutating func keep(_ digest: Digest) {
        order.append(digest)
        guard order.count > Self.maximumCount else { return }
        let gone = order.prefix(Self.maximumCount / 4)
        for digest in gone {
            settled.remove(digest)
            refused[digest] = nil
        }
        order.removeFirst(gone.count)
    }
}
