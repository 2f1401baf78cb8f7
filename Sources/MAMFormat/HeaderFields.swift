// Header fields that many files share, stored once.

internal import MAMModel
internal import MAMSystem

/// The owner and how the files are sealed. Immutable: a header that changes gets another instance.
final class HeaderFields: Sendable {
    let owner: Identity
    let sealing: FileHeader.Sealing?

    init(owner: Identity, sealing: FileHeader.Sealing?) {
        self.owner = owner
        self.sealing = sealing
    }

    /// False in class B, where every file has its own public key.
    fileprivate var isCommon: Bool { (sealing?.ephemeralKey ?? .zero) == .zero }
}

/// A cache of decoded fields, by their encoded bytes.
///
/// A workspace has few owners and classes, and very many files: with the cache a file whose fields
/// are known costs no strings, neither time nor memory.
enum KnownFields {
    private struct Known {
        let words: [UInt64]
        let fields: HeaderFields
    }

    private struct State {
        var all: [Known] = []
        var next = 0
    }

    private static let state = Guarded(State())

    /// At the limit, the oldest entry is replaced.
    private static let limit = 32

    /// The offsets of all words that are decoded here: version, flags and classes, and everything
    /// from the key's id to the key wrap.
    private static let offsets =
        Array(stride(from: HeaderOffset.version, to: HeaderOffset.fileID, by: 8))
        + Array(stride(from: HeaderOffset.keyID, to: FileHeader.associatedByteCount, by: 8))

    /// Nil if the cache has no entry.
    static func fields(in bytes: RawSpan) -> HeaderFields? {
        // Searches a copy, so that the lock is held only while a reference is taken.
        for known in state.withLock({ $0.all }) where matches(known.words, bytes) {
            return known.fields
        }
        return nil
    }

    /// `fields`: the result of decoding these bytes.
    static func add(_ fields: HeaderFields, of bytes: RawSpan) {
        guard fields.isCommon else { return }
        let known = Known(words: words(of: bytes), fields: fields)
        state.withLock { state in
            guard state.all.count == limit else { return state.all.append(known) }
            state.all[state.next] = known
            state.next = (state.next + 1) % limit
        }
    }

    private static func words(of bytes: RawSpan) -> [UInt64] {
        offsets.map { bytes.integer(UInt64.self, at: $0) }
    }

    private static func matches(_ words: [UInt64], _ bytes: RawSpan) -> Bool {
        for index in offsets.indices
        where words[index] != bytes.integer(UInt64.self, at: offsets[index]) { return false }
        return true
    }
}

extension FileHeader {
    /// Shares this header's fields with the other files that have the same. `bytes`: the encoded
    /// header.
    package mutating func shareFields(_ bytes: RawSpan) {
        if let known = KnownFields.fields(in: bytes) {
            fields = known
        } else {
            KnownFields.add(fields, of: bytes)
        }
    }
}
