// What the engine has, as mamfleet tells mamctl.

package import MAMModel

package struct SentDocuments: Sendable, Equatable {
    /// Each file is a subject.
    package var documents: [LogEntry.Document]
    /// By subject, why what is there is no bundle.
    package var junk: [String: String]

    package init(_ documents: [LogEntry.Document] = [], junk: [String: String] = [:]) {
        (self.documents, self.junk) = (documents, junk)
    }

    package init?(_ json: JSONValue) {
        guard let documents = json.object?["documents"]?.elements({ LogEntry.Document($0) }),
            let junk = json.object?["junk"]?.members(\.text)
        else { return nil }
        self.init(documents, junk: junk)
    }

    package var json: JSONValue {
        [
            "documents": .array(documents.map(\.json)),
            "junk": .object(junk.mapValues { .string($0) }),
        ]
    }
}
