import MAMCrypto
import MAMFleet
import MAMModel
import Testing

@Suite struct MachineReportTests {
    static let organization = Bytes16(high: 7, low: 7)
    static let transportKey = "U" + String(repeating: "A", count: 55)
    let machine = Key()

    static var status: MachineStatus {
        var status = MachineStatus(version: "1", host: "lab-7", workspace: "Work")
        status.rootSerial = 2
        status.documents = ["policy/all/level2.json": 4]
        status.problem = "the organisation has sent no time yet"
        status.obeyed = [Bytes16(high: 1, low: 1).description]
        status.verify = .init(time: Organization.start, findings: 3)
        var account = MachineStatus.Account(
            id: Bytes16(high: 3, low: 4), name: "ann@contoso.com", objectID: "", window: .blocked)
        account.blockedBy = "offline"
        (account.checkedIn, account.files, account.level) = (Organization.start, 2, "Level 2")
        status.accounts = [account]
        status.diagnostics = ["readOnly": false]
        status.suspects = ["unsigned": 2]
        status.facts = .init(system: "debian 13", isEncrypted: nil, needsRestart: true)
        return status
    }

    static let audit: [JSONValue] = [3, 4, 9].map {
        ["sequence": .integer($0), "event": "locked", "count": 1]
    }

    func contents() throws -> [ReportContent] {
        [
            .status(Self.status),
            .recoveryRecord(
                RecordReport(
                    account: Bytes16(high: 3, low: 4), name: "ann@contoso.com",
                    recoveryKey: "abcd", record: [1, 2, 3], proof: [4, 5])),
            .audit(try #require(AuditBatch(after: 2, Self.audit))),
            .enrolment(
                EnrolmentRequest(
                    invitation: "i1", transportKey: Self.transportKey,
                    publicKey: machine.publicKey, host: "lab-7")),
        ]
    }

    func report(_ content: ReportContent, _ sequence: Int64 = 5) throws -> MachineReport {
        try #require(
            MachineReport(
                content, organization: Self.organization, issued: Organization.start,
                sequence: sequence, signedWith: machine.seed))
    }

    func read(_ bytes: [UInt8]) throws -> MachineReport {
        try MachineReport(
            ReportEnvelope(parsing: bytes), by: machine.publicKey, of: Self.organization)
    }

    /// With other members in the payload, signed with the machine's key.
    func signed(_ kind: String, _ change: (inout [String: JSONValue]) -> Void) throws -> [UInt8] {
        let content = try #require(try contents().first { $0.kind.rawValue == kind })
        var members = try #require(
            (try JSONValue(parsing: try report(content).envelope.payload)).object)
        change(&members)
        let payload = JSONValue.object(members).encoded()
        let type = content.kind.payloadType
        let message = Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
        let signature = try #require(Ed25519.sign(message, seed: machine.seed))
        let envelope: JSONValue = [
            "payloadType": .string(type), "payload": .string(base64(payload)),
            "signatures": [
                ["keyid": .string(machine.id.description), "sig": .string(base64(signature))]
            ],
        ]
        return envelope.encoded()
    }

    @Test func `each kind is read as it was signed`() throws {
        for content in try contents() {
            let report = try report(content)
            let bytes = report.envelope.encoded()
            #expect(!bytes.contains(0x0A))
            let read = try read(bytes)
            #expect(read == report && read.content == content)
            #expect(read.machine == machine.id && read.organization == Self.organization)
            #expect(read.sequence == 5 && read.issued == Organization.start)
            #expect(try self.read(signed(content.kind.rawValue) { _ in }).content == content)
        }
    }

    @Test func `no byte can be changed`() throws {
        for content in try contents() {
            let good = try report(content).envelope
            for index in good.payload.indices {
                var payload = good.payload
                payload[index] ^= 1
                var members = try #require(good.json.object)
                members["payload"] = .string(base64(payload))
                #expect(throws: Refusal.self) { try read(JSONValue.object(members).encoded()) }
            }
            var members = try #require(good.json.object)
            for kind in ReportKind.allCases where kind != content.kind {
                members["payloadType"] = .string(kind.payloadType)
                #expect(throws: Refusal.notByMachine(machine.id)) {
                    try read(JSONValue.object(members).encoded())
                }
            }
        }
    }

    @Test func `another machine's key and another organisation are refused`() throws {
        let envelope = try report(.status(Self.status)).envelope
        let other = Key()
        #expect(throws: Refusal.notByMachine(other.id)) {
            try MachineReport(envelope, by: other.publicKey, of: Self.organization)
        }
        #expect(throws: Refusal.notByMachine(other.id)) {
            try MachineReport(
                envelope, of: other.id, by: machine.publicKey, in: Self.organization)
        }
        #expect(throws: Refusal.otherOrganization(Self.organization)) {
            try MachineReport(envelope, by: machine.publicKey, of: .zero)
        }
        // Another's id under this key.
        let lying = try signed("status") { $0["machine"] = .string(other.id.description) }
        #expect(throws: Refusal.notByMachine(other.id)) { try read(lying) }
    }

    @Test func `an enrolment request proves that its own key is had`() throws {
        let good = try report(try #require(contents().last)).envelope
        #expect(
            try MachineReport(enrolment: good, in: Self.organization).machine == machine.id)
        let lying = try signed("enrolment") {
            $0["publicKey"] = .string(base64(Key().publicKey))
        }
        #expect(throws: Refusal.self) {
            try MachineReport(enrolment: ReportEnvelope(parsing: lying), in: Self.organization)
        }
        let status = try report(.status(Self.status)).envelope
        #expect(throws: Refusal.self) {
            try MachineReport(enrolment: status, in: Self.organization)
        }
    }

    @Test(arguments: ReportKind.allCases)
    func `unknown and missing members are refused`(_ kind: ReportKind) throws {
        if kind != .status {
            let more = try signed(kind.rawValue) { $0["more"] = 1 }
            #expect(throws: Refusal.self) { try read(more) }
        }
        let all = try report(try #require(contents().first { $0.kind == kind })).envelope.payload
        for name in try #require(try JSONValue(parsing: all).object).keys
        where !["after", "problem", "verify", "diagnostics", "suspects", "facts"].contains(name) {
            let less = try signed(kind.rawValue) { $0[name] = nil }
            #expect(throws: Refusal.self, "\(name)") { try read(less) }
        }
    }

    @Test func `of itself and an account a later version may tell more`() throws {
        let later = try signed("status") { members in
            members["more"] = 1
            members["facts"] = .object(
                (members["facts"]?.object ?? [:]).merging(["more": 1]) { $1 })
            members["accounts"] = .array(
                (members["accounts"]?.array ?? []).map { account in
                    .object((account.object ?? [:]).merging(["mood": "good"]) { $1 })
                })
        }
        #expect(try read(later).content == .status(Self.status))
        for wrong: JSONValue in [1, ["system": "debian 13"], ["system": 13]] {
            let bytes = try signed("status") { $0["facts"] = wrong }
            #expect(throws: Refusal.self) { try read(bytes) }
        }
    }

    @Test func `a report has one signature and a size`() throws {
        let good = try report(.status(Self.status)).envelope
        for count in [0, 2] {
            var members = try #require(good.json.object)
            members["signatures"] = .array(Array(repeating: good.signature.members, count: count))
            #expect(throws: Refusal.self) { try read(JSONValue.object(members).encoded()) }
        }
        var huge = Self.status
        huge.problem = String(repeating: "x", count: 1 << 20)
        #expect(
            MachineReport(
                .status(huge), organization: Self.organization, issued: 0, sequence: 1,
                signedWith: machine.seed) == nil)
        #expect(throws: Refusal.self) {
            try ReportEnvelope(
                parsing: [UInt8](repeating: 0x20, count: ReportEnvelope.maximumByteCount + 1))
        }
        #expect(throws: Refusal.self) {
            try ReportEnvelope(parsing: Organization().policy().encoded())
        }
    }

    @Test func `records of the audit are in order`() throws {
        #expect(AuditBatch(after: nil, []) == nil)
        #expect(AuditBatch(after: 3, Self.audit) == nil)
        #expect(AuditBatch(after: 0, [Self.audit[1], Self.audit[0]]) == nil)
        #expect(AuditBatch(after: 0, [["event": "locked"]]) == nil)
        for (from, to) in [(4, 9), (3, 8), (3, 10), (2, 9)] as [(Int64, Int64)] {
            let wrong = try signed("audit") {
                ($0["from"], $0["to"]) = (.integer(from), .integer(to))
            }
            #expect(throws: Refusal.self) { try read(wrong) }
        }
    }

    @Test func `an erased seed signs nothing`() {
        let seed = SecretBytes.random(count: 32)
        seed.erase()
        #expect(
            MachineReport(
                .status(Self.status), organization: Self.organization, issued: 0, sequence: 1,
                signedWith: seed) == nil)
    }
}

extension Envelope.Signature {
    fileprivate var members: JSONValue {
        ["keyid": .string(key.description), "sig": .string(base64(bytes))]
    }
}
