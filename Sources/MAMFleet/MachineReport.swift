// What a machine reports to its organisation, signed with the machine's key.

package import MAMCrypto
package import MAMModel

/// What a report is about.
package enum ReportKind: String, SignedKind {
    case status
    case recoveryRecord = "recovery-record"
    case audit
    case enrolment
}

/// A report whose signature was not checked. Its payload is not parsed before that.
package struct ReportEnvelope: Sendable, Equatable {
    package let kind: ReportKind
    package let payload: [UInt8]
    package let signature: Envelope.Signature

    /// The machine whose key it claims to be signed with.
    package var machine: MachineID { signature.key }

    package static let maximumPayloadByteCount = 1 << 20
    /// The longest report as a file or a line: base64 makes the payload a third longer.
    package static let maximumByteCount = 3 << 19
    /// The number of JSON values that an envelope may have.
    private static let maximumValueCount = 10

    package init(parsing bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.maximumByteCount else { throw .malformed("it is too long") }
        let json = try JSONValue(
            bytes, atMost: Self.maximumValueCount, orElse: "it is no JSON of a report")
        var members = Members(json, of: "the report")
        kind = try members.take("payloadType", "a type of this version of mamd") {
            $0.text.flatMap(ReportKind.init(payloadType:))
        }
        payload = try members.take("payload", "base64 of at most 1 MiB") {
            $0.bytes.flatMap { $0.count <= Self.maximumPayloadByteCount ? $0 : nil }
        }
        let found = try members.take("signatures", "a list of one") {
            $0.array.flatMap { $0.count == 1 ? $0[0] : nil }
        }
        try members.requireEmpty()
        signature = try Envelope.Signature(found)
    }

    /// Nil if the seed is erased.
    fileprivate init?(_ kind: ReportKind, _ payload: [UInt8], signedWith seed: SecretBytes) {
        let message = Envelope.signedBytes(of: kind.payloadType, payload)
        guard let signature = Envelope.Signature(of: message, with: seed) else { return nil }
        (self.kind, self.payload, self.signature) = (kind, payload, signature)
    }

    fileprivate func isSigned(by publicKey: [UInt8]) -> Bool {
        signature.key == Bytes16(ofKey: publicKey)
            && Ed25519.isSigned(
                Envelope.signedBytes(of: kind.payloadType, payload), with: signature.bytes,
                by: publicKey)
    }

    package var json: JSONValue {
        [
            "payloadType": .string(kind.payloadType), "payload": .string(base64(payload)),
            "signatures": [signature.json],
        ]
    }

    /// The report in one line, without a line feed.
    package func encoded() -> [UInt8] { json.encoded() }
}

/// A report that the machine's key has signed.
package struct MachineReport: Sendable, Equatable {
    package let envelope: ReportEnvelope
    package let organization: Bytes16
    package let machine: MachineID
    /// In seconds since 1970.
    package let issued: Int64
    /// Increases with each report of the kind. Whoever keeps reports refuses one that is older.
    package let sequence: Int64
    package let content: ReportContent

    package var kind: ReportKind { envelope.kind }

    private static let maximumValueCount = 20_000

    /// Signs a report. Nil if the seed is erased, or if it would be longer than is read.
    package init?(
        _ content: ReportContent, organization: Bytes16, issued: Int64, sequence: Int64,
        signedWith seed: SecretBytes
    ) {
        guard let publicKey = Ed25519.publicKey(ofSeed: seed) else { return nil }
        let machine = Bytes16(ofKey: publicKey)
        var members = content.members
        members["organization"] = .string(organization.description)
        members["machine"] = .string(machine.description)
        members["issued"] = .string(rfc3339(issued))
        members["sequence"] = .integer(sequence)
        let payload = JSONValue.object(members).encoded()
        guard payload.count <= ReportEnvelope.maximumPayloadByteCount,
            let envelope = ReportEnvelope(content.kind, payload, signedWith: seed),
            // What is sent must be readable there.
            let report = try? MachineReport(envelope, by: publicKey, of: organization)
        else { return nil }
        self = report
    }

    /// `publicKey`: as the organisation has it from the machine's enrolment.
    package init(
        _ envelope: ReportEnvelope, by publicKey: [UInt8], of organization: Bytes16
    ) throws(Refusal) {
        guard envelope.isSigned(by: publicKey) else {
            throw .notByMachine(Bytes16(ofKey: publicKey))
        }
        try self.init(verified: envelope)
        guard self.organization == organization else {
            throw .otherOrganization(self.organization)
        }
    }

    /// Verifies a report of a machine whose id is known: the key must be that machine's.
    package init(
        _ envelope: ReportEnvelope, of machine: MachineID, by publicKey: [UInt8],
        in organization: Bytes16
    ) throws(Refusal) {
        guard Bytes16(ofKey: publicKey) == machine else { throw .notByMachine(machine) }
        try self.init(envelope, by: publicKey, of: organization)
    }

    /// A request for enrolment, signed with the key that it brings along: that proves that whoever
    /// sent it has the key, and nothing else.
    package init(
        enrolment envelope: ReportEnvelope, in organization: Bytes16
    ) throws(Refusal) {
        guard envelope.kind == .enrolment else { throw .malformed("it is no enrolment request") }
        let claimed = try MachineReport(verified: envelope)
        guard case .enrolment(let request) = claimed.content else {
            throw .malformed("it is no enrolment request")
        }
        try self.init(
            envelope, of: claimed.machine, by: request.publicKey, in: organization)
    }

    private init(verified envelope: ReportEnvelope) throws(Refusal) {
        let json = try JSONValue(
            envelope.payload, atMost: Self.maximumValueCount, orElse: "its payload is no JSON")
        var members = Members(json, of: "the report")
        self.envelope = envelope
        organization = try members.id("organization")
        machine = try members.id("machine")
        issued = try members.time("issued")
        sequence = try members.number("sequence", from: 1)
        content = try ReportContent(&members, envelope.kind)
        // A later machine tells more of itself: docs/adr/0095-a-status-may-tell-more.md.
        if envelope.kind != .status { try members.requireEmpty() }
        guard machine == envelope.machine else { throw .notByMachine(machine) }
    }
}
