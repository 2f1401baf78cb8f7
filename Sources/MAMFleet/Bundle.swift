// Several documents in one file or message.

package import MAMModel

/// A JSON array of envelopes. It is not signed: each envelope is judged alone.
package enum Bundle {
    package static let maximumByteCount = 4 << 20
    /// Room for all documents that a machine keeps, and for every root of a long life.
    package static let maximumCount = 2 * MachineStanding.maximumDocumentCount

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
