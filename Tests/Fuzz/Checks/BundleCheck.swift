// Bundles, as an engine, a web server or a stick may have them: docs/FLEET.md.

import MAMEngine
import MAMFleet
import MAMModel

func checkBundle(_ bytes: [UInt8]) throws(Violation) {
    let documents: [[UInt8]]
    do throws(Refusal) { documents = try Bundle.documents(in: bytes) } catch {
        return try expect(!error.description.isEmpty, "no words")
    }
    try expect(documents.count <= Bundle.maximumCount, "more documents than are read")
    // What is no array is one document, as it came.
    guard let elements = try? Bundle.elements(of: bytes) else {
        return try expect(documents == [bytes], "another document than came")
    }
    try expect(elements == documents, "other documents")
    guard let bundle = try? Bundle(parsing: bytes) else {
        return try expect(
            documents.contains { (try? Envelope(parsing: $0)) == nil }, "refused without a reason")
    }
    try checkEncoded(bundle)
    for envelope in bundle.envelopes { try checkStatement(envelope) }
}

/// What a document says is written as it was read: whoever signs it again signs the same.
private func checkStatement(_ envelope: Envelope) throws(Violation) {
    if let statement = try? envelope.statement() {
        let again = try? Statement(statement.json, kind: envelope.kind)
        try expect(again == statement, "another statement when written and read again")
        let isPair = statement.ring != nil && (try? PolicyPair(parsing: envelope.content)) != nil
        try expect(
            statement.ring == nil || isPair == ((try? envelope.policies()) != nil),
            "policies of what is no pair")
    }
    if let pair = try? PolicyPair(parsing: envelope.content) {
        try expect((try? PolicyPair(parsing: pair.encoded())) == pair, "another pair")
    }
    if envelope.kind == .root, let root = try? Root(parsing: envelope.content) {
        try expect((try? Root(parsing: root.json.encoded())) == root, "another root")
    }
}

/// It is read as the same, gives the same bytes, and passes for signed.
private func checkEncoded(_ bundle: Bundle) throws(Violation) {
    guard let text = try? bundle.encoded() else { return }
    let again = try must("a bundle that was written is not read") {
        try Bundle(parsing: text)
    }
    try expect(again == bundle, "another bundle when written and read again")
    try expect((try? again.encoded()) == text, "other bytes when written again")
    let json = try must("a bundle is no JSON") { try JSONValue(parsing: text) }
    try expect(Bundle.isSigned(json) == !bundle.envelopes.isEmpty, "a bundle taken for another")
}
