// Header fields that many files share, stored once.

internal import MAMModel

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

/// Decoded fields, by their encoded bytes.
///
/// A workspace has few owners and classes, and very many files: a file whose fields are known costs
/// no strings, neither time nor memory.
package struct KnownFields: Sendable {
    private struct Entry {
        let words: [UInt64]
        let fields: HeaderFields
    }

    private var entries: [Entry] = []
    private var oldest = 0

    /// At the limit, the oldest entry is replaced.
    private static let limit = 32

    /// The offsets of all words that are decoded here: version, flags and classes, and everything
    /// from the key's id to the key wrap.
    private static let offsets =
        Array(stride(from: HeaderOffset.version, to: HeaderOffset.fileID, by: 8))
        + Array(stride(from: HeaderOffset.keyID, to: FileHeader.associatedByteCount, by: 8))

    package init() {}

    func fields(in bytes: RawSpan) -> HeaderFields? {
        for entry in entries where Self.matches(entry.words, bytes) { return entry.fields }
        return nil
    }

    /// False if this header has its fields from here, or shares them with no other.
    package func lack(_ header: FileHeader) -> Bool {
        header.fields.isCommon && !entries.contains { $0.fields === header.fields }
    }

    /// `header`: what these bytes decode to.
    package mutating func add(_ header: FileHeader, of bytes: RawSpan) {
        let words = Self.offsets.map { bytes.integer(UInt64.self, at: $0) }
        let entry = Entry(words: words, fields: header.fields)
        guard entries.count == Self.limit else { return entries.append(entry) }
        entries[oldest] = entry
        oldest = (oldest + 1) % Self.limit
    }

    private static func matches(_ words: [UInt64], _ bytes: RawSpan) -> Bool {
        for index in offsets.indices
        where words[index] != bytes.integer(UInt64.self, at: offsets[index]) { return false }
        return true
    }
}

extension FileHeader {
    /// Takes its fields from `known` if they are there. `bytes`: its own, as encoded.
    package mutating func share(_ known: KnownFields, _ bytes: RawSpan) {
        if let same = known.fields(in: bytes) { fields = same }
    }
}
