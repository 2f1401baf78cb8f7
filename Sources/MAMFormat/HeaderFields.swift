// What the headers of many files have in common, held once for all of them.

internal import MAMModel
internal import MAMSystem

/// Whose files they are, and how they are sealed. Never changed: a header that changes gets
/// another.
final class HeaderFields: Sendable {
    let owner: Identity
    let sealing: FileHeader.Sealing?

    init(owner: Identity, sealing: FileHeader.Sealing?) {
        self.owner = owner
        self.sealing = sealing
    }

    /// False in class B, where every file has a public key of its own.
    fileprivate var isCommon: Bool { (sealing?.ephemeralKey ?? .zero) == .zero }
}

/// The fields that were met before, by the bytes that they stand for.
///
/// A workspace has few owners and classes, and very many files: with this a known file costs no
/// strings, neither time nor memory for them.
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

    /// Beyond these the one that was met first makes room.
    private static let limit = 32

    /// Of all words that are decoded: version, flags and classes, and everything from the key's id
    /// to the key wrap.
    private static let offsets =
        Array(stride(from: HeaderOffset.version, to: HeaderOffset.fileID, by: 8))
        + Array(stride(from: HeaderOffset.keyID, to: FileHeader.associatedByteCount, by: 8))

    /// Nil for what was not met yet.
    static func fields(in bytes: RawSpan) -> HeaderFields? {
        // Looked through outside of the lock: that is held for a reference alone.
        for known in state.withLock({ $0.all }) where matches(known.words, bytes) {
            return known.fields
        }
        return nil
    }

    /// `fields`: what these bytes decode to.
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
    /// Has this header share its fields with the other files whose headers say the same. `bytes`:
    /// its own, as encoded.
    package mutating func shareFields(_ bytes: RawSpan) {
        if let known = KnownFields.fields(in: bytes) {
            fields = known
        } else {
            KnownFields.add(fields, of: bytes)
        }
    }
}
