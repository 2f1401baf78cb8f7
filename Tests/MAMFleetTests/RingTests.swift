import MAMFleet
import MAMModel
import Testing

private let id = "00000000000000050000000000000005"

/// A policy for a share of the machines, and what it replaces for the others.
@Suite struct RingTests {
    let contoso = Organization()
    let now = Organization.start + 60
    let rollout = Bytes16(high: 5, low: 5)
    let new = #"{"pinRequired": false}"#
    let former = #"{"pinRequired": true}"#

    private func step(
        _ share: Int, serial: Int64 = 1, content: [UInt8]? = nil, by signers: [Key]? = nil
    ) -> Envelope {
        let pair = PolicyPair(Array(new.utf8), former: Array(former.utf8)).encoded()
        let statement = Statement(
            of: content ?? pair, organization: contoso.id, audience: .all, name: "level2.json",
            serial: serial, issued: Organization.start,
            expires: Organization.start + 30 * Organization.day,
            ring: Ring(rollout, share: share))
        var envelope = Envelope(.policy, statement, content: content ?? pair)
        for key in signers ?? contoso.policies { _ = envelope.sign(with: key.seed) }
        return envelope
    }

    private func standing(of machine: MachineID) throws -> MachineStanding {
        try MachineStanding(pinning: contoso.root(), machine: machine)
    }

    private func inForce(_ standing: MachineStanding) -> [String] {
        standing.policies.map {
            String(decoding: $0.content(on: standing.machine), as: UTF8.self)
        }
    }

    private var machines: [MachineID] { (0..<2000).map { Bytes16(high: 1, low: $0) } }

    @Test func `a larger share has the machines of a smaller one, and about as many as it says`() {
        var smaller: Set<MachineID> = []
        for share in [1, 5, 25, 50, 99] {
            let included = Set(machines.filter(Ring(rollout, share: share).includes))
            #expect(included.isSuperset(of: smaller))
            #expect(abs(included.count - share * 20) < 120)
            smaller = included
        }
        let other = Ring(Bytes16(high: 6, low: 6), share: 50)
        let half = Ring(rollout, share: 50)
        #expect(machines.filter(other.includes) != machines.filter(half.includes))
    }

    /// Other implementations count the same: SHA-256 of both ids as text.
    @Test func `who is in it is written down`() {
        let ring = Ring(Bytes16(high: 0, low: 1), share: 50)
        let included = (0..<10).map(UInt64.init).filter { ring.includes(Bytes16(high: 0, low: $0)) }
        #expect(included == Self.included)
    }

    @Test func `a machine has the one or the other, whenever it joins`() throws {
        let ring = Ring(rollout, share: 50)
        for machine in machines.prefix(20) {
            var known = try standing(of: machine)
            _ = try known.accept(contoso.policy(former, serial: 1), at: now)
            for before in [known, try standing(of: machine)] {
                var standing = before
                #expect(try standing.accept(step(50, serial: 2), at: now) == .documents)
                #expect(inForce(standing) == [ring.includes(machine) ? new : former])
                #expect(try MachineStanding(standing.json) == standing)
            }
        }
    }

    @Test func `an earlier step does not come back, and all have it in the end`() throws {
        for machine in machines.prefix(20) {
            var standing = try standing(of: machine)
            _ = try standing.accept(step(99, serial: 3), at: now)
            #expect(throws: Refusal.older(serial: 2, than: 3)) {
                try standing.accept(step(1, serial: 2), at: now)
            }
            _ = try standing.accept(contoso.policy(new, serial: 4), at: now)
            #expect(inForce(standing) == [new])
        }
    }

    @Test func `withdrawn for a share it is in force for the others`() throws {
        let pair = PolicyPair([], former: Array(former.utf8)).encoded()
        let ring = Ring(rollout, share: 50)
        for machine in machines.prefix(20) {
            var standing = try standing(of: machine)
            _ = try standing.accept(step(50, content: pair), at: now)
            #expect(inForce(standing) == (ring.includes(machine) ? [] : [former]))
        }
    }

    @Test(arguments: [0, 2]) func `order keys sign both at once`(_ count: Int) throws {
        for machine in machines.prefix(10) {
            var standing = try standing(of: machine)
            let signers = contoso.policies + contoso.orders.prefix(count)
            _ = try standing.accept(step(50, by: signers), at: now)
            #expect(standing.policies.map { standing.mayWipe(by: $0) } == [count == 2])
        }
    }

    @Test(arguments: [
        #"{"policy": "", "former": "", "more": ""}"#, #"{"policy": ""}"#, "{}", "7", "",
        #"{"policy": "!", "former": ""}"#,
    ])
    func `a content that is no pair is refused`(_ text: String) throws {
        var standing = try contoso.standing()
        let bad = step(50, content: Array(text.utf8))
        do throws(Refusal) {
            _ = try standing.accept(bad, at: now)
            Issue.record("accepted")
        } catch { #expect(error.kind == .malformed) }
        #expect(standing.documents.isEmpty)
    }

    @Test(arguments: [
        #""ring":{"rollout":"\#(id)","share":0}"#, #""ring":{"rollout":"\#(id)","share":100}"#,
        #""ring":{"share":5}"#, #""ring":null"#, #""ring":{"rollout":"\#(id)","share":5,"a":1}"#,
        #""ring":5"#,
    ])
    func `a ring of another form is refused`(_ text: String) throws {
        let good = String(decoding: step(5).payload, as: UTF8.self)
        let whole = #""ring":{"rollout":"\#(rollout)","share":5}"#
        #expect(good.contains(whole))
        let payload = Array(good.replacing(whole, with: text).utf8)
        var members = step(5).json.object ?? [:]
        members["payload"] = .string(base64(payload))
        let envelope = try Envelope(parsing: JSONValue.object(members).encoded())
        #expect(throws: Refusal.self) { try envelope.statement() }
    }

    @Test func `only policies have rings`() throws {
        var members = step(5).json.object ?? [:]
        members["payloadType"] = "application/vnd.mamd.settings+json"
        let envelope = try Envelope(parsing: JSONValue.object(members).encoded())
        #expect(throws: Refusal.self) { try envelope.statement() }
    }

    private static let included: [UInt64] = [0, 1, 4, 8]
}
