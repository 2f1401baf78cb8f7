// What machines report, as whoever reaches the engine may send it: docs/adr/0058.

import MAMCrypto
import MAMFleet
import MAMModel

/// First as an envelope, whose signature no input has; then as a payload that the machine signs.
func checkReport(_ bytes: [UInt8]) throws(Violation) {
    try checkEnvelope(bytes)
    guard let payload = addressed(bytes) else { return }
    for kind in ReportKind.allCases { try checkPayload(payload, of: kind) }
}

private func checkEnvelope(_ bytes: [UInt8]) throws(Violation) {
    guard let envelope = try? ReportEnvelope(parsing: bytes) else { return }
    let again = try must("an envelope that was written is not read") {
        try ReportEnvelope(parsing: envelope.encoded())
    }
    try expect(again == envelope, "another envelope when written and read again")
    try expect(KnownMachine.read(envelope) == nil, "a report nobody signed")
}

/// The payload as the known machine's, to its organisation; nil if it is no object.
private func addressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard var members = (try? JSONValue(parsing: bytes))?.object else { return nil }
    members["organization"] = .string(KnownMachine.organization.description)
    members["machine"] = .string(KnownMachine.id.description)
    return JSONValue.object(members).encoded()
}

/// What is read can be reported again, and says the same.
private func checkPayload(_ payload: [UInt8], of kind: ReportKind) throws(Violation) {
    let envelope = try must("a signed payload is no report") {
        try ReportEnvelope(parsing: KnownMachine.signed(payload, of: kind))
    }
    guard let report = KnownMachine.read(envelope) else { return }
    try expect(report.kind == kind && report.content.kind == kind, "another kind")
    try expect(report.sequence >= 1, "a number that no report has")
    guard payload.count < ReportEnvelope.maximumPayloadByteCount / 2 else { return }
    let again = MachineReport(
        report.content, organization: report.organization, issued: report.issued,
        sequence: report.sequence, signedWith: KnownMachine.seed)
    try expect(again?.content == report.content, "another report when written and read again")
    try expect(again?.issued == report.issued, "another time when written and read again")
}

/// A machine of the corpus' organisation.
private enum KnownMachine {
    static let organization = Bytes16(high: 7, low: 7)
    static let seed = SecretBytes(count: 32)
    static let publicKey = prepared { try Ed25519.publicKey(ofSeed: seed).orMissing() }
    static let id = Bytes16(ofKey: publicKey)

    static func read(_ envelope: ReportEnvelope) -> MachineReport? {
        try? MachineReport(envelope, by: publicKey, of: organization)
    }

    static func signed(_ payload: [UInt8], of kind: ReportKind) -> [UInt8] {
        let type = kind.payloadType
        let message = Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
        let signature = prepared { try Ed25519.sign(message, seed: seed).orMissing() }
        let json: JSONValue = [
            "payloadType": .string(type), "payload": .string(base64(payload)),
            "signatures": [["keyid": .string(id.description), "sig": .string(base64(signature))]],
        ]
        return json.encoded()
    }
}

extension Optional where Wrapped == [UInt8] {
    fileprivate func orMissing() throws(Violation) -> [UInt8] {
        guard let self else { throw Violation(description: "no key") }
        return self
    }
}
