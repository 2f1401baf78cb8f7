import MAMFleet
import MAMModel
import Testing

/// A policy that order keys have signed, too.
@Suite struct OrderedPolicyTests {
    let contoso = Organization()
    let now = Organization.start + 60

    private func signers(_ orderers: Int) -> [Key] {
        contoso.policies + contoso.orders.prefix(orderers)
    }

    private func mayWipe(_ standing: MachineStanding) -> [Bool] {
        standing.policies.map { standing.mayWipe(by: $0) }
    }

    @Test(arguments: [(0, false), (1, false), (2, true), (3, true)])
    func `it wipes where enough have`(_ count: Int, _ expected: Bool) throws {
        var standing = try contoso.standing()
        let policy = contoso.policy(by: signers(count))
        #expect(try standing.accept(policy, at: now) == .documents)
        #expect(mayWipe(standing) == [expected])
        #expect(try mayWipe(MachineStanding(standing.json)) == [expected])
    }

    @Test func `order keys alone sign no policy`() throws {
        var standing = try contoso.standing()
        #expect(throws: Refusal.notSigned(.policy, found: 0, needed: 1)) {
            _ = try standing.accept(contoso.policy(by: contoso.orders), at: now)
        }
    }

    @Test func `a signature of another text counts for nothing`() throws {
        var standing = try contoso.standing()
        let harmless = contoso.policy(by: contoso.policies + contoso.orders)
        let text = #"{"minimumWipeOsVersion": "99"}"#
        var members = contoso.policy(text).json.object ?? [:]
        members["signatures"] = .array(
            [members, harmless.json.object ?? [:]].flatMap { $0["signatures"]?.array ?? [] })
        let forged = try Envelope(parsing: JSONValue.object(members).encoded())
        _ = try standing.accept(forged, at: now)
        #expect(mayWipe(standing) == [false])
    }

    @Test func `a key that has both roles counts for both`() throws {
        var contoso = contoso
        contoso.orders[0] = contoso.policies[0]
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(), at: now)
        #expect(mayWipe(standing) == [false])
        let both = contoso.policy(by: Array(contoso.orders.prefix(2)))
        #expect(try standing.accept(both, at: now) == .documents)
        #expect(mayWipe(standing) == [true])
    }

    @Test func `signatures that come later are added, and the next version has none of them`()
        throws
    {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(by: signers(1)), at: now)
        let second = contoso.policy(by: contoso.policies + [contoso.orders[1]])
        #expect(try standing.accept(second, at: now) == .documents)
        #expect(mayWipe(standing) == [true])
        #expect(try standing.accept(contoso.policy(), at: now) == .nothing)
        #expect(mayWipe(standing) == [true])
        _ = try standing.accept(contoso.policy(serial: 2), at: now)
        #expect(mayWipe(standing) == [false])
    }

    @Test func `a root that takes an order key away takes its signature back, not the policy`()
        throws
    {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(by: signers(2)), at: now)
        var changed = contoso
        changed.orders = [contoso.orders[0], Key(), Key()]
        #expect(try standing.accept(changed.root(serial: 2), at: now) == .root)
        #expect(mayWipe(standing) == [false])
        #expect(try mayWipe(MachineStanding(standing.json)) == [false])
        #expect(standing.droppedDocuments.isEmpty)
        // With the new keys it may again.
        let again = changed.policy(by: changed.policies + changed.orders)
        #expect(try standing.accept(again, at: now) == .documents)
        #expect(mayWipe(standing) == [true])
    }

    /// What a former root's key replaced is sent again once that key is taken away.
    @Test(arguments: [DocumentKind.policy, .membership])
    func `what a root took the successor of away wipes nothing`(_ kind: DocumentKind) throws {
        var former = contoso
        former.policies.append(Key())
        let membership = Membership(groups: ["lab"]).json.encoded()
        let content = kind == .policy ? Array(#"{"pinRequired": true}"#.utf8) : membership
        func signed(
            _ content: [UInt8], _ serial: Int64, _ issued: Int64, _ keys: [Key]
        ) -> Envelope {
            contoso.envelope(
                kind, content, name: "one", serial: serial, issued: issued, by: keys)
        }
        func isOrdered(_ standing: MachineStanding) -> Bool {
            mayWipe(standing) == [true] || standing.orderedMembership.groups == ["lab"]
        }
        let (before, after) = (Organization.start - 60, Organization.start)
        let old = signed(content, 1, before, signers(2))
        var standing = try former.standing()
        let last = kind == .policy ? [] : Membership().json.encoded()
        _ = try standing.accept(signed(last, 2, before, [former.policies[1]]), at: now)
        #expect(throws: Refusal.older(serial: 1, than: 2)) { try standing.accept(old, at: now) }
        _ = try standing.accept(contoso.root(serial: 2), at: now)
        _ = try standing.accept(old, at: now)
        #expect(!isOrdered(standing))
        #expect(try MachineStanding(standing.json) == standing)
        // Signed since, it does again.
        _ = try standing.accept(signed(content, 3, after, signers(2)), at: now)
        #expect(isOrdered(standing))
        #expect(standing.wipingSince.isEmpty)
    }

    @Test(arguments: [(0, false), (2, true)])
    func `for a group of machines it wipes by a membership that order keys have signed`(
        _ count: Int, _ expected: Bool
    ) throws {
        var standing = try contoso.standing()
        let membership = Membership(groups: ["lab"], members: ["staff": ["ann@contoso.com"]])
        _ = try standing.accept(
            contoso.envelope(
                .membership, membership.json.encoded(), name: "groups", by: signers(count)),
            at: now)
        _ = try standing.accept(contoso.policy(for: .group("lab"), by: signers(2)), at: now)
        #expect(mayWipe(standing) == [expected])
        #expect(standing.membership == membership)
        #expect(standing.orderedMembership == (expected ? membership : Membership()))
    }
}
