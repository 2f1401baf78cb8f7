// The signed documents in a file: one, or a bundle of them.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem
internal import MAMWire

struct FleetBundle {
    let path: ByteString
    let documents: [Document]
    /// Whether messages name each document.
    let isBundle: Bool

    struct Document {
        let text: String
        /// As in `fleet show`, or where it stands.
        let name: String
        let envelope: Envelope?

        /// Nil for all but a root.
        var rootSerial: Int64? {
            guard let envelope, envelope.kind == .root else { return nil }
            return try? envelope.statement().serial
        }
    }

    init(reading path: ByteString) throws(Failure) {
        self.path = path
        let bytes = try readFile(path, atMost: Bundle.maximumByteCount)
        let found: [[UInt8]]
        do throws(Refusal) { found = try Bundle.documents(in: bytes) } catch {
            throw Failure(path, error)
        }
        var documents: [Document] = []
        for (index, bytes) in found.enumerated() {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw Failure(
                    .usage, "\(path.shown) is no signed document", next: "mamctl fleet verify FILE")
            }
            let envelope = try? Envelope(parsing: bytes)
            let slot = envelope.flatMap { envelope in
                (try? envelope.statement()).map { Slot(envelope.kind, $0.audience, $0.name) }
            }
            documents.append(
                Document(
                    text: text, name: slot?.description ?? "document \(index + 1)",
                    envelope: envelope))
        }
        self.documents = documents
        isBundle = documents.count != 1 || found[0] != bytes
    }

    /// How messages call one of the documents.
    func shown(_ document: Document) -> String {
        isBundle ? "\(path.shown), \(document.name)" : path.shown
    }
}
