import MAMCrypto
import MAMFleet
import MAMModel
import TestSupport
import Testing

@testable import MAMEngine
@testable import MAMOffice

@Suite struct AdmissionTests {
    let organization = Bytes16(high: 7, low: 7)
    let now = TestOrganization.now
    let invitation = InvitationRecord(
        Bytes16(high: 1, low: 1), note: "", groups: ["lab"], created: TestOrganization.now,
        expires: TestOrganization.now + 60, transportKey: NKeySeed(random: .user).key)

    private func request(
        _ seed: SecretBytes, _ transport: NKey = NKeySeed(random: .user).key,
        by invitation: InvitationRecord? = nil
    ) throws -> [UInt8] {
        let key = try #require(Ed25519.publicKey(ofSeed: seed))
        let report = MachineReport(
            .enrolment(
                EnrolmentRequest(
                    invitation: (invitation ?? self.invitation).id.description,
                    transportKey: transport.description,
                    publicKey: key, host: "h")), organization: organization, issued: now,
            sequence: 1, signedWith: seed)
        return try #require(report).envelope.encoded()
    }

    private func admission(
        _ invitations: [InvitationRecord]? = nil, _ machines: [RegisteredMachine] = []
    ) -> Admission {
        Admission(organization, invitations: invitations ?? [invitation], machines: machines)
    }

    @Test func `a machine's own request is its own`() throws {
        var admission = admission()
        let seed = SecretBytes.random(count: Ed25519.seedByteCount)
        let bytes = try request(seed)
        guard
            case .applicant(let applicant) = admission.judge(
                bytes, sentAs: invitation.id, at: now)
        else {
            Issue.record("it was refused")
            return
        }
        #expect(applicant.machine == Bytes16(ofKey: applicant.publicKey))
        let entry = RegisteredMachine(applicant, named: "a", at: now)
        #expect(entry.groups == ["lab"])
        #expect(try RegisteredMachine(parsing: entry.json.encoded()) == entry)
        var record = invitation
        record.machine = entry.machine
        #expect(try InvitationRecord(parsing: record.json.encoded()) == record)
        // Judged once more it is known, unless it was not put on the register for a crash.
        var later = self.admission([record], [entry])
        #expect(later.judge(bytes, sentAs: invitation.id, at: now) == .admitted)
        later = self.admission([record])
        #expect(
            later.judge(bytes, sentAs: invitation.id, at: now)
                == .applicant(
                    Applicant(
                        machine: applicant.machine, publicKey: applicant.publicKey,
                        transportKey: applicant.transportKey, host: "h", name: "h", asked: now,
                        invitation: record,
                        former: nil)))
    }

    @Test func `a request that was answered does not undo a later one`() throws {
        let seed = SecretBytes.random(count: Ed25519.seedByteCount)
        let bytes = try request(seed)
        var admission = admission()
        guard
            case .applicant(let applicant) = admission.judge(bytes, sentAs: invitation.id, at: now)
        else {
            Issue.record("it was refused")
            return
        }
        var used = invitation
        used.machine = applicant.machine
        let later = RegisteredMachine(
            applicant.publicKey, named: "a", transportKey: NKeySeed(random: .user).key,
            invitation: Bytes16(high: 2, low: 2), groups: [], admitted: now)
        admission = Admission(
            organization, invitations: [used], machines: [later], answered: [used.id])
        #expect(admission.judge(bytes, sentAs: used.id, at: now) == .admitted)
        // Not answered, it is the one with which the machine comes back.
        admission = Admission(organization, invitations: [used], machines: [later])
        guard case .applicant = admission.judge(bytes, sentAs: used.id, at: now) else {
            Issue.record("it was not judged anew")
            return
        }
    }

    @Test func `a machine that asks by two invitations is let in by both`() throws {
        let (seed, transport) = (
            SecretBytes.random(count: Ed25519.seedByteCount), NKeySeed(random: .user).key
        )
        let other = InvitationRecord(
            Bytes16(high: 2, low: 2), note: "", groups: [], created: now, expires: now + 60,
            transportKey: NKeySeed(random: .user).key)
        var admission = admission([invitation, other])
        let verdicts = try [invitation, other].map {
            admission.judge(try request(seed, transport, by: $0), sentAs: $0.id, at: now)
        }
        let applicants = verdicts.compactMap { verdict -> Applicant? in
            if case .applicant(let applicant) = verdict { applicant } else { nil }
        }
        #expect(applicants.map(\.invitation.id) == [invitation.id, other.id])
        #expect(applicants.last?.former?.transportKey == transport)
        // Which both have.
        #expect(applicants.allSatisfy { $0.endedConnection == nil })
    }

    @Test func `two machines with one invitation are named`() throws {
        var admission = admission()
        let seeds = (0..<2).map { _ in SecretBytes.random(count: Ed25519.seedByteCount) }
        let ids = seeds.compactMap { Ed25519.publicKey(ofSeed: $0) }.map { Bytes16(ofKey: $0) }
        _ = admission.judge(try request(seeds[0]), sentAs: invitation.id, at: now)
        #expect(
            admission.judge(try request(seeds[1]), sentAs: invitation.id, at: now)
                == .refused(.used(by: ids[0], again: ids[1])))
    }

    private func name(
        _ invitations: [InvitationRecord], _ machines: [RegisteredMachine] = []
    ) throws -> String? {
        let seed = SecretBytes.random(count: Ed25519.seedByteCount)
        return try name(invitations, machines, asking: seed)
    }

    private func name(
        _ invitations: [InvitationRecord], _ machines: [RegisteredMachine], asking seed: SecretBytes
    ) throws -> String? {
        var admission = admission(invitations, machines)
        let found = admission.judge(try request(seed), sentAs: invitation.id, at: now)
        guard case .applicant(let applicant) = found else { return nil }
        return applicant.name
    }

    @Test func `a host name is not what another machine is called`() throws {
        let taken = "h"
        let other = InvitationRecord(
            Bytes16(high: 2, low: 2), note: taken, groups: [], created: now, expires: now + 60,
            transportKey: NKeySeed(random: .user).key)
        let machine = RegisteredMachine(
            Array(repeating: 1, count: 32), named: taken,
            transportKey: NKeySeed(random: .user).key, invitation: other.id, groups: [],
            admitted: now)
        #expect(try name([invitation]) == "h")
        let names = [
            try name([invitation, other]), try name([invitation], [machine]),
        ]
        for name in names { #expect(try #require(name).hasPrefix("h (")) }
    }

    @Test func `a machine that is invited again by its note keeps it`() throws {
        let seed = SecretBytes.random(count: Ed25519.seedByteCount)
        let id = Bytes16(ofKey: try #require(Ed25519.publicKey(ofSeed: seed)))
        func record(_ number: UInt64) -> InvitationRecord {
            InvitationRecord(
                Bytes16(high: number, low: number), note: "desk", groups: [], created: now,
                expires: now + 60, transportKey: NKeySeed(random: .user).key)
        }
        var former = record(2)
        former.machine = id
        #expect(try name([record(1), former], [], asking: seed) == "desk")
        former.machine = Bytes16(high: 3, low: 3)
        #expect(try name([record(1), former], [], asking: seed) == "h")
    }

    @Test func `nobody takes another's connection, and none comes late`() throws {
        let seed = SecretBytes.random(count: Ed25519.seedByteCount)
        let transport = NKeySeed(random: .user).key
        let other = RegisteredMachine(
            Array(repeating: 1, count: 32), named: "other", transportKey: transport,
            invitation: Bytes16(high: 2, low: 2), groups: [], admitted: now)
        var admission = admission(nil, [other])
        let bytes = try request(seed, transport)
        #expect(
            admission.judge(bytes, sentAs: invitation.id, at: now) == .refused(.transportKey))
        #expect(
            admission.judge(try request(seed), sentAs: invitation.id, at: now + 60)
                == .refused(.expired(now + 60)))
        #expect(
            admission.judge(try request(seed), sentAs: Bytes16(high: 9, low: 9), at: now)
                == .refused(
                    .sentAs(Bytes16(high: 9, low: 9), says: invitation.id.description)))
    }
}

@Suite struct InvitationCodeTests {
    @Test func `a code is read as it is written, and no other`() throws {
        let organization = try TestOrganization()
        let engine = try Engine.make(
            in: organization.directory, named: "Contoso",
            EngineSettings(servers: ["a:1", "[::1]:2"], https: "https://a/b", replicas: 1),
            at: TestOrganization.now)
        let seed = NKeySeed(random: .user)
        let record = InvitationRecord(
            Bytes16(high: 1, low: 1), note: "", groups: [], created: TestOrganization.now,
            expires: TestOrganization.now + 60, transportKey: seed.key)
        let fingerprint = String(repeating: "0a", count: 32)
        let code = try engine.invite(record, seed, fingerprint: fingerprint).text
        let read = try InvitationCode(parsing: code)
        #expect(read.seed.key == seed.key && read.token.subject == seed.key)
        #expect(read.invitation == record.id && read.fingerprint == fingerprint)
        #expect(read.servers == ["a:1", "[::1]:2"] && read.https == "https://a/b")
        let authority = try organization.directory.read(Engine.authority, atMost: 4096)
        #expect(pem(ofDER: read.authority ?? []) == String(decoding: authority, as: UTF8.self))
        let text = revealed(code)
        #expect(try InvitationCode(parsing: secret(" \(text)\r\n")).seed.key == seed.key)
        // QR codes of so many bytes exist.
        #expect(text.utf8.count < 2900)
        for wrong in [
            "", "mamd1:", String(text.dropLast()), String(text.dropFirst()), text + "A",
            "mamd2:" + text.dropFirst(6), String(text.prefix(1000)),
            "mamd1:" + Base64URL.text(Array("{}".utf8)),
        ] {
            #expect(throws: Refusal.self, "\(wrong.prefix(20))") {
                try InvitationCode(parsing: secret(wrong))
            }
        }
    }

    @Test(arguments: [
        ("a", "a:4222"), ("a.b-c:1", "a.b-c:1"), ("127.0.0.1", "127.0.0.1:4222"),
        ("[::1]", "[::1]:4222"), ("[fe80::1]:99", "[fe80::1]:99"),
    ]) func `servers have names`(_ text: String, _ whole: String) {
        #expect(ServerName(text)?.description == whole)
    }

    @Test(arguments: [
        "", ":1", "a:", "a:0", "a:65536", "a:1:1", "a b", "a\"", "[a]", "[::1", "::1", "a:+1",
        "a:01", "[\"::\"]", "a\n",
    ]) func `what is no server's name`(_ text: String) { #expect(ServerName(text) == nil) }
}

@Suite struct PolicyPushTests {
    let now = TestOrganization.now
    let slot = Slot(.policy, .all, "a.json")

    private func push(
        _ wanted: String?, signed: String?, issued: Int64 = -1, expires: Int64 = 90,
        isValid: Bool = true,
        isPruning: Bool = false
    ) -> PolicyChange.Action? {
        PolicyPush(
            wanted.map { [WantedPolicy(slot, Array($0.utf8), from: "a")] } ?? [],
            signed: signed.map {
                [
                    SignedPolicy(
                        file: "f", slot: slot, serial: 1, issued: now + issued * 86_400,
                        expires: now + expires * 86_400, content: Array($0.utf8),
                        isValid: isValid)
                ]
            } ?? [], isPruning: isPruning, at: now
        ).changes.first?.action
    }

    @Test func `each case has its action`() {
        #expect(push("a", signed: nil) == .new)
        #expect(push("a", signed: "") == .new)
        #expect(push("a", signed: "b") == .changed)
        #expect(push("a", signed: "a") == nil)
        #expect(push("a", signed: "a", expires: 29) == .renewed)
        #expect(push("a", signed: "a", isValid: false) == .renewed)
        #expect(push("a", signed: "a", issued: 1) == .renewed)
        #expect(push(nil, signed: "a") == .left)
        #expect(push(nil, signed: "a", isPruning: true) == .withdrawn)
        #expect(push(nil, signed: "", isPruning: true) == nil)
    }
}
