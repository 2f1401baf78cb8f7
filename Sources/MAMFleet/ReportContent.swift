// The content of each kind of report.

package import MAMModel

package enum ReportContent: Sendable, Equatable {
    case status(MachineStatus)
    case recoveryRecord(RecordReport)
    case audit(AuditBatch)
    case enrolment(EnrolmentRequest)

    package var kind: ReportKind {
        switch self {
        case .status: .status
        case .recoveryRecord: .recoveryRecord
        case .audit: .audit
        case .enrolment: .enrolment
        }
    }

    var members: [String: JSONValue] {
        switch self {
        case .status(let status): status.members
        case .recoveryRecord(let report): report.members
        case .audit(let batch): batch.members
        case .enrolment(let request): request.members
        }
    }

    init(_ members: inout Members, _ kind: ReportKind) throws(Refusal) {
        switch kind {
        case .status: self = .status(try MachineStatus(&members))
        case .recoveryRecord: self = .recoveryRecord(try RecordReport(&members))
        case .audit: self = .audit(try AuditBatch(&members))
        case .enrolment: self = .enrolment(try EnrolmentRequest(&members))
        }
    }
}

/// A recovery record of an account, which the holder of the recovery key can open.
package struct RecordReport: Sendable, Equatable {
    package var account: Bytes16
    package var name: String
    /// The short id of the key that the record is sealed to.
    package var recoveryKey: String
    /// The record as it is on disk.
    package var record: [UInt8]
    /// Proves that the record opens what it claims; see docs/FORMAT.md.
    package var proof: [UInt8]

    package init(
        account: Bytes16, name: String, recoveryKey: String, record: [UInt8], proof: [UInt8]
    ) {
        (self.account, self.name, self.recoveryKey) = (account, name, recoveryKey)
        (self.record, self.proof) = (record, proof)
    }

    var members: [String: JSONValue] {
        [
            "account": .string(account.description), "name": .string(name),
            "recoveryKey": .string(recoveryKey), "record": .string(base64(record)),
            "proof": .string(base64(proof)),
        ]
    }

    init(_ members: inout Members) throws(Refusal) {
        account = try members.id("account")
        name = try members.text("name")
        recoveryKey = try members.text("recoveryKey")
        record = try members.take("record", "base64", \.bytes)
        proof = try members.take("proof", "base64", \.bytes)
    }
}

/// Records of the audit, in the order of their numbers. Numbers that are missing between them were
/// dropped, or deleted for space.
package struct AuditBatch: Sendable, Equatable {
    /// The number that was asked for: these are all records with higher ones up to ``to``. If that
    /// is not the last batch's ``to``, one in between was held back. Nil if it is not known.
    package let after: Int64?
    /// The number of the first record.
    package let from: Int64
    /// The number of the last record.
    package let to: Int64
    /// Named as in io.mamd.Audit's Record, without nulls.
    package let records: [JSONValue]

    /// Nil without records, or if they are not in order.
    package init?(after: Int64?, _ records: [JSONValue]) {
        guard let from = records.first.flatMap(Self.sequence),
            let to = records.last.flatMap(Self.sequence)
        else { return nil }
        (self.after, self.from, self.to, self.records) = (after, from, to, records)
        guard isInOrder else { return nil }
    }

    private static func sequence(_ record: JSONValue) -> Int64? {
        record.object?["sequence"]?.integer
    }

    private var isInOrder: Bool {
        var last = after ?? from - 1
        for record in records {
            guard let sequence = Self.sequence(record), sequence > last else { return false }
            last = sequence
        }
        return last == to && records.first.flatMap(Self.sequence) == from
    }

    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "from": .integer(from), "to": .integer(to), "records": .array(records),
        ]
        if let after { members["after"] = .integer(after) }
        return members
    }

    init(_ members: inout Members) throws(Refusal) {
        after = members.has("after") ? try members.number("after", from: 0) : nil
        from = try members.number("from", from: 0)
        to = try members.number("to", from: 0)
        records = try members.take("records", "a list") { $0.array }
        guard isInOrder else {
            throw .malformed("its records are not those from \(from) to \(to), in order")
        }
    }
}

/// A machine's request to be enrolled.
package struct EnrolmentRequest: Sendable, Equatable {
    package var invitation: String
    /// The NKey that its connections are made with.
    package var transportKey: String
    /// The machine's Ed25519 key.
    package var publicKey: [UInt8]
    package var host: String

    package init(invitation: String, transportKey: String, publicKey: [UInt8], host: String) {
        (self.invitation, self.transportKey) = (invitation, transportKey)
        (self.publicKey, self.host) = (publicKey, host)
    }

    var members: [String: JSONValue] {
        [
            "invitation": .string(invitation), "transportKey": .string(transportKey),
            "publicKey": .string(base64(publicKey)), "host": .string(host),
        ]
    }

    init(_ members: inout Members) throws(Refusal) {
        invitation = try members.take("invitation", "a name") {
            $0.text.flatMap { isName($0) ? $0 : nil }
        }
        transportKey = try members.take("transportKey", "an NKey of a user") {
            $0.text.flatMap { isTransportKey($0) ? $0 : nil }
        }
        publicKey = try members.take("publicKey", "base64 of 32 bytes") {
            $0.bytes.flatMap { $0.count == 32 ? $0 : nil }
        }
        host = try members.take("host", "a text of at most 255 bytes") {
            $0.text.flatMap { $0.utf8.count <= 255 ? $0 : nil }
        }
    }
}

/// `U` and 55 further characters of base32. Whether its checksum is right is the engine's matter.
package func isTransportKey(_ text: String) -> Bool {
    text.utf8.count == 56 && text.utf8.first == UInt8(ascii: "U")
        && text.utf8.allSatisfy {
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains($0)
        }
}
