// What a carrier carries: several documents, such as all for one audience, in one file or message.

package import MAMModel

/// A JSON array of envelopes, as they are in files. It is not signed, and nothing of it was
/// verified: each envelope is judged alone.
package struct Bundle: Sendable, Equatable {
    package static let maximumByteCount = 4 << 20
    /// Room for all documents that a machine keeps, and for every root of a long life.
    package static let maximumCount = 2 * MachineStanding.maximumDocumentCount

    package let envelopes: [Envelope]

    package init(_ envelopes: [Envelope]) { self.envelopes = envelopes }

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        envelopes = try Self.elements(of: bytes).map { element throws(Refusal) in
            try Envelope(parsing: element)
        }
    }

    /// The same documents give the same bytes. Refuses what nobody would read.
    package func encoded() throws(Refusal) -> [UInt8] {
        let lines = envelopes.map { $0.json.encoded() }
        let text =
            Array("[\n".utf8) + lines.joined(separator: Array(",\n".utf8)) + Array("\n]\n".utf8)
        guard text.count <= Self.maximumByteCount else {
            throw .malformed(
                "its \(envelopes.count) documents take \(text.count) bytes together, of"
                    + " \(Self.maximumByteCount) at most")
        }
        return text
    }

    /// The envelopes, still to be parsed: one that is bad does not keep the others out. What is no
    /// array is one envelope, good or bad.
    package static func documents(in bytes: [UInt8]) throws(Refusal) -> [[UInt8]] {
        guard bytes.first(where: { !isSpace($0) }) == UInt8(ascii: "[") else { return [bytes] }
        return try elements(of: bytes)
    }

    /// The elements of a JSON array, each encoded on its own.
    package static func elements(of bytes: [UInt8]) throws(Refusal) -> [[UInt8]] {
        guard bytes.count <= maximumByteCount else { throw .malformed("it is too long") }
        guard let list = (try? JSONValue(parsing: bytes))?.array else {
            throw .malformed("it is no bundle of documents")
        }
        guard list.count <= maximumCount else {
            throw .malformed("it has more than \(maximumCount) documents")
        }
        return list.map { $0.encoded() }
    }

    /// Whether JSON looks like an envelope or a bundle of them, which may still be malformed.
    package static func isSigned(_ json: JSONValue) -> Bool {
        guard let list = json.array else { return Envelope.isEnvelope(json) }
        return !list.isEmpty && list.allSatisfy { Envelope.isEnvelope($0) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
