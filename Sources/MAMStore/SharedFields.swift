// Headers whose fields are in memory once, however many files have them.

package import MAMFormat
internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// What all headers have in common that this process read or wrote.
private let known = Guarded(KnownFields())

extension FileHeader {
    /// Reads the first 1024 bytes of a file.
    package static func sharing(_ bytes: RawSpan) throws(HeaderError) -> FileHeader {
        // A copy, so that the lock is held for a reference alone.
        let known = known.withLock { $0 }
        let header = try decode(bytes, known: known)
        header.note(bytes, unlessIn: known)
        return header
    }

    /// For a header that was made here. `bytes`: its own, as encoded.
    mutating func shareFields(_ bytes: RawSpan) {
        let known = known.withLock { $0 }
        share(known, bytes)
        note(bytes, unlessIn: known)
    }

    private func note(_ bytes: RawSpan, unlessIn met: KnownFields) {
        if met.lack(self) { known.withLock { $0.add(self, of: bytes) } }
    }
}
