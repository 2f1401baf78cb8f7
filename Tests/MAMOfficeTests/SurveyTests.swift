import Glibc
import MAMCrypto
import MAMFleet
import MAMModel
import MAMSystem
import TestSupport
import Testing

@testable import MAMEngine
@testable import MAMOffice

/// An organisation's directory with one machine, removed at the end.
final class TestDirectory {
    private let place: TemporaryDirectory
    let directory: OrganizationDirectory
    let machineSeed = SecretBytes.random(count: 32)
    let policySeed = SecretBytes.random(count: 32)
    private let orderSeed = SecretBytes.random(count: 32)
    let organization = Bytes16(high: 7, low: 7)
    let now: Int64 = 1_790_000_000
    let root: Root

    init() throws {
        place = try TemporaryDirectory()
        directory = OrganizationDirectory(ByteString(place.path))
        let seeds = [policySeed, orderSeed, .random(count: 32)]
        let keys = seeds.compactMap { Ed25519.publicKey(ofSeed: $0) }
        let all = Set(keys.map { Bytes16(ofKey: $0) })
        root = try Root(
            name: "Contoso", keys: keys,
            roles: Dictionary(
                uniqueKeysWithValues: Role.allCases.map {
                    ($0, Root.Holders(keys: all, threshold: $0 == .order ? 2 : 1))
                }))
        let entry = RegisteredMachine(
            try machineKey, named: "pc",
            transportKey: NKey(.user, [UInt8](repeating: 1, count: 32)),
            invitation: .zero, groups: [], admitted: now - 100)
        try directory.write(entry)
    }

    var machineKey: [UInt8] {
        get throws { try #require(Ed25519.publicKey(ofSeed: machineSeed)) }
    }
    var machine: MachineID { get throws { Bytes16(ofKey: try machineKey) } }

    func sign(
        _ kind: DocumentKind, _ content: JSONValue, _ audience: Audience, _ name: String,
        expires: Int64? = nil
    ) throws {
        let content = content.encoded()
        let statement = Statement(
            of: content, organization: organization, audience: audience, name: name, serial: 5,
            issued: now - 50, expires: expires ?? now + 90 * 86_400)
        var envelope = Envelope(kind, statement, content: content)
        _ = envelope.sign(with: policySeed)
        try directory.write("signed/\(kind.rawValue)-\(name).json", envelope.encoded())
    }

    /// Returns the nonce.
    @discardableResult
    func order(
        _ order: Order, _ number: UInt64, issued: Int64? = nil, days: Int64 = 30, keys: Int = 2
    ) throws -> String {
        let content = order.json.encoded()
        let time = issued ?? now - 50
        var statement = Statement(
            of: content, organization: organization, audience: .machine(try machine),
            name: "\(Bytes16(high: 5, low: number))", serial: 1, issued: time,
            expires: time + days * 86_400)
        if !order.needsAll { statement.name = statement.nonce }
        var envelope = Envelope(.order, statement, content: content)
        for seed in [policySeed, orderSeed].prefix(keys) { _ = envelope.sign(with: seed) }
        try directory.write("orders/\(statement.name).json", envelope.encoded())
        return statement.name
    }

    /// Puts the root into the directory.
    func signRoot() throws {
        let content = root.json.encoded()
        var envelope = Envelope(
            .root,
            Statement(
                of: content, organization: organization, audience: .all,
                name: SignedDocument.rootName, serial: 1, issued: now - 100, expires: nil),
            content: content)
        _ = envelope.sign(with: policySeed)
        try directory.write(OrganizationDirectory.root, envelope.encoded())
    }

    func revoke() throws {
        let name = directory.machineFile(try machine)
        var entry = try #require(try directory.registered(name)?.get())
        entry.revoked = now
        try directory.write(entry)
    }

    func report(
        _ documents: [String: Int64], issued: Int64? = nil,
        change: (inout MachineStatus) -> Void = { _ in }
    ) throws {
        var status = MachineStatus(version: "1", host: "pc", workspace: "work")
        (status.rootSerial, status.documents) = (1, documents)
        change(&status)
        let report = MachineReport(
            .status(status), organization: organization, issued: issued ?? now, sequence: 1,
            signedWith: machineSeed)
        try directory.write(
            directory.statusFile(try machine), try #require(report).envelope.encoded())
    }

    var survey: Survey {
        Survey(
            directory, root: root, of: organization, serial: 1, staleAfter: 7 * 86_400, at: now)
    }
}

@Suite struct SurveyTests {
    let test: TestDirectory

    init() throws { test = try TestDirectory() }

    private func kinds() -> [Difference.Kind] { test.survey.machines[0].differences.map(\.kind) }

    @Test func `a machine lacks what stands above what it has, by audience`() throws {
        try test.sign(.policy, [:], .all, "level")
        try test.sign(.policy, [:], .group("lab"), "lab")
        try test.report(["policy/all/level": 5])
        #expect(kinds().isEmpty)
        try test.sign(
            .membership, Membership(groups: ["lab"]).json, .machine(try test.machine), "groups")
        #expect(kinds() == [.missing, .missing])
        let own = "membership/machine:\(try test.machine)/groups"
        try test.report(["policy/all/level": 4, "policy/group:lab/lab": 6, own: 5])
        #expect(kinds() == [.behind, .ahead])
        try test.report(["policy/all/level": 5, "policy/group:hr/x": 1, own: 5, "order/x": 1])
        #expect(kinds() == [.unknown, .foreign, .missing])
    }

    /// As the machine: without it less would be restricted.
    @Test func `an expired membership still says who is in a group`() throws {
        try test.sign(.policy, [:], .group("lab"), "lab")
        let lab = Membership(groups: ["lab"], members: ["staff": ["ann@contoso.com"]])
        try test.sign(
            .membership, lab.json, .machine(try test.machine), "groups", expires: test.now)
        try test.report(["membership/machine:\(try test.machine)/groups": 5])
        #expect(kinds() == [.missing])
        #expect(test.survey.wanted.members(for: try test.machine) == lab.members)
        let slot = "membership/machine:\(try test.machine)/groups"
        #expect(test.survey.wanted.flaws.contains(.expired(slot: slot, test.now)))
    }

    private func settings() -> [String: String]? {
        for case .settings(let unmet) in test.survey.machines[0].attention { return unmet }
        return nil
    }

    @Test func `what is asked of the settings needs an answer, and to be done`() throws {
        let documents: [String: Int64] = ["settings/all/s": 5]
        try test.report(documents) { $0.settings = ["Containment": "no"] }
        #expect(settings() == nil)
        try test.sign(.settings, ["Containment": "required"], .all, "s")
        #expect(settings() == ["Containment": "no"])
        #expect(test.survey.machines[0].state == .attention)
        // An older version knows of none.
        try test.report(documents)
        #expect(settings() == [:])
        // Reported before they were signed, unless it has them: then a clock was ahead.
        try test.report([:], issued: test.now - 60)
        #expect(settings() == nil)
        try test.report(documents, issued: test.now - 60) { $0.settings = ["Containment": "no"] }
        #expect(settings() == ["Containment": "no"])
        try test.report(documents) { $0.settings = ["Containment": ""] }
        #expect(settings() == nil)
        #expect(test.survey.machines[0].differences.isEmpty)
    }

    @Test func `settings that are asked of others need no answer`() throws {
        try test.sign(.settings, ["Containment": "required"], .group("lab"), "s")
        try test.report([:])
        #expect(settings() == nil)
        try test.sign(
            .membership, Membership(groups: ["lab"]).json, .machine(try test.machine), "groups")
        #expect(settings() == [:])
    }

    @Test func `what was signed after a report is not missed yet`() throws {
        try test.sign(.policy, [:], .all, "level")
        try test.report([:], issued: test.now - 60)
        let machine = try #require(test.survey.machines.first)
        #expect(machine.differences.map(\.isOpen) == [true])
        #expect(machine.state == .compliant)
        try test.report([:], issued: test.now - 40)
        #expect(test.survey.machines[0].state == .attention)
    }

    @Test func `what is damaged among orders is called so, whatever it was`() throws {
        let statement = Statement(
            of: [1], organization: test.organization, audience: .all, name: "x", serial: 1,
            issued: test.now, expires: test.now + 86_400)
        try test.directory.write(
            "\(OrganizationDirectory.orders)/x.json",
            Envelope(.policy, statement, content: [2]).encoded())
        #expect(
            test.survey.orders.unusable.map(\.reason) == [Refusal.contentChanged.description])
    }

    @Test func `numbers of machines do not overflow sums`() throws {
        try test.report([:]) { ($0.pending, $0.refused) = (.max, .max) }
        let sums = test.survey.sums
        #expect(sums.refused == .max)
        #expect(sums.pending == Int64(MachineStanding.maximumOrderCount))
    }

    @Test func `a report in the name of another machine does not count`() throws {
        try test.report([:])
        let good = try test.directory.read(
            test.directory.statusFile(try test.machine), atMost: 1 << 20)
        #expect(test.survey.machines[0].status != nil)
        try test.directory.write(
            test.directory.statusFile(try test.machine), good.dropLast(3) + Array("x\"}".utf8))
        #expect(test.survey.machines[0].state == .refused)
        try test.directory.write("reports/status/\(Bytes16(high: 1, low: 1)).json", good)
        #expect(test.survey.strays.count == 1)
    }

    @Test func `the audit is merged by time, and lines that have not ended wait`() throws {
        let name = test.directory.auditFile(try test.machine)
        func line(_ sequence: Int64, after: Int64?) throws -> [UInt8] {
            let record: JSONValue = [
                "time": "2026-05-04T03:02:01.000Z", "sequence": .integer(sequence),
                "event": "locked", "count": 1,
            ]
            let batch = try #require(AuditBatch(after: after, [record]))
            let report = MachineReport(
                .audit(batch), organization: test.organization, issued: test.now,
                sequence: sequence, signedWith: test.machineSeed)
            return try #require(report).envelope.encoded()
        }
        let newline = [UInt8(ascii: "\n")]
        try test.directory.write(name, try line(3, after: 1) + newline + line(9, after: 5))
        var audit = FleetAudit(test.directory, of: test.organization) { _ in true }
        guard case .record = audit.next()?.item else {
            Issue.record("no record")
            return
        }
        #expect(audit.next() == nil)
        try test.directory.write(
            name, try line(3, after: 1) + newline + line(9, after: 5) + newline)
        audit.lookAgain()
        #expect(audit.next()?.item == .gap(from: 4, to: 5))
        guard case .record = audit.next()?.item else {
            Issue.record("no record")
            return
        }
        #expect(audit.next() == nil)
    }
}
