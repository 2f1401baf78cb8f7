import MAMFleet
import MAMFormat
import MAMModel
import MAMPolicy
import Testing

/// A policy that names a recovery key, and who must have signed it.
@Suite struct RecoveryKeyTests {
    let contoso = Organization()
    let now = Organization.start + 60
    static let key = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQHMnzFi"
    static let naming = #"{"pinRequired": true, "mamdRecoveryPublicKey": "\#(key)"}"#

    private func signers(_ orderers: Int) -> [Key] {
        contoso.policies + contoso.orders.prefix(orderers)
    }

    private func refusal(_ standing: MachineStanding, _ envelope: Envelope) -> Refusal? {
        var copy = standing
        do throws(Refusal) { _ = try copy.accept(envelope, at: now) } catch {
            #expect(copy == standing)
            return error
        }
        return nil
    }

    private func tooFew(_ found: Int) -> Refusal { .recoveryKeyNotOrdered(found: found, needed: 2) }

    @Test func `the key is one`() {
        #expect(PolicyDocument.recoveryKeys(in: Array(Self.naming.utf8)).map(\.text) == [Self.key])
        #expect(PolicyDocument.recoveryKeys(in: Array(#"{"pinRequired": true}"#.utf8)).isEmpty)
        #expect(PolicyDocument.recoveryKeys(in: []).isEmpty)
    }

    @Test func `a policy that names one needs as many order keys as a wipe`() throws {
        let standing = try contoso.standing()
        for count in 0...3 {
            let policy = contoso.policy(Self.naming, by: signers(count))
            #expect(refusal(standing, policy) == (count < 2 ? tooFew(count) : nil))
        }
        #expect(tooFew(0).kind.isSuspect)
    }

    @Test func `it is no matter in which of a ring's two policies, or in a list`() throws {
        let standing = try contoso.standing()
        let other = #"{"pinRequired": true}"#
        for (new, former) in [(Self.naming, other), (other, Self.naming), (Self.naming, "")] {
            let pair = PolicyPair(Array(new.utf8), former: Array(former.utf8)).encoded()
            var statement = try contoso.envelope(
                .policy, pair, name: "level2.json", by: []
            ).statement()
            statement.ring = Ring(Bytes16(high: 5, low: 5), share: 1)
            var envelope = Envelope(.policy, statement, content: pair)
            for key in contoso.policies { _ = envelope.sign(with: key.seed) }
            #expect(refusal(standing, envelope) == tooFew(0))
            for key in contoso.orders { _ = envelope.sign(with: key.seed) }
            #expect(refusal(standing, envelope) == nil)
        }
        let list = #"{"value": [\#(other), \#(Self.naming)]}"#
        #expect(refusal(standing, contoso.policy(list)) == tooFew(0))
    }

    @Test func `the next version needs them again, and what takes the key away`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(Self.naming, by: signers(2)), at: now)
        for text in [Self.naming, #"{"pinRequired": true}"#, ""] {
            #expect(refusal(standing, contoso.policy(text, serial: 2)) == tooFew(0))
            #expect(refusal(standing, contoso.policy(text, serial: 2, by: signers(2))) == nil)
        }
        _ = try standing.accept(contoso.policy("", serial: 2, by: signers(2)), at: now)
        #expect(standing.recoveryKeys.isEmpty)
        #expect(refusal(standing, contoso.policy(serial: 3)) == nil)
    }

    @Test func `a root that takes the policy away leaves the key to order keys`() throws {
        var former = contoso
        former.policies.append(Key())
        var standing = try former.standing()
        let naming = contoso.policy(
            Self.naming, by: [former.policies[1]] + contoso.orders.prefix(2))
        _ = try standing.accept(naming, at: now)
        _ = try standing.accept(contoso.root(serial: 2), at: now)
        #expect(standing.policies.isEmpty)
        #expect(standing.recoveryKeys.values.first == [Self.key])
        #expect(try MachineStanding(standing.json) == standing)
        #expect(refusal(standing, contoso.policy(serial: 2)) == tooFew(0))
        #expect(refusal(standing, contoso.policy(serial: 2, by: signers(2))) == nil)
    }

    /// The holder of a policy key fills the room that there is.
    @Test func `a group's policy stays when the machine has left the group`() throws {
        var standing = try contoso.standing()
        let group = Audience.group("sales")
        _ = try standing.accept(
            contoso.policy(Self.naming, for: group, by: signers(2)), at: now)
        for number in 1..<MachineStanding.maximumDocumentCount {
            let other = contoso.policy("", for: group, name: "n\(number)")
            _ = try standing.accept(other, at: now)
        }
        _ = try standing.accept(contoso.policy(name: "one-more"), at: now)
        #expect(standing.documents.count == 2)
        #expect(
            refusal(standing, contoso.policy("", for: group, serial: 2)) == tooFew(0))
    }

    /// A machine of an older version, and then of this one.
    @Test func `what was accepted before stays, and order keys may sign it later`() throws {
        let policy = contoso.policy(Self.naming)
        var members = try contoso.standing().json.object ?? [:]
        members["documents"] = .array([policy.json])
        var standing = try MachineStanding(.object(members))
        #expect(standing.policies.map(\.envelope) == [policy])
        #expect(try standing.accept(policy, at: now) == .nothing)
        for count in 1...2 {
            let more = contoso.policy(Self.naming, by: signers(count))
            #expect(try standing.accept(more, at: now) == .documents)
            #expect(standing.policies.count == 1)
        }
        #expect(try MachineStanding(standing.json) == standing)
    }

    @Test func `a root that takes order keys away takes no policy away`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(contoso.policy(Self.naming, by: signers(2)), at: now)
        var changed = contoso
        changed.orders = [contoso.orders[0], Key(), Key()]
        _ = try standing.accept(changed.root(serial: 2), at: now)
        #expect(standing.policies.count == 1)
        #expect(standing.droppedDocuments.isEmpty)
    }

    /// A carrier sends again what a key had withdrawn that a root then took away.
    @Test func `what a root took the successor of away brings no recovery key back`() throws {
        var former = contoso
        former.policies.append(Key())
        let old = contoso.envelope(
            .policy, Array(Self.naming.utf8), name: "one", serial: 1,
            issued: Organization.start - 60, by: signers(2))
        var standing = try former.standing()
        let withdrawal = contoso.envelope(
            .policy, [], name: "one", serial: 2, issued: Organization.start - 60,
            by: [former.policies[1]])
        _ = try standing.accept(withdrawal, at: now)
        _ = try standing.accept(contoso.root(serial: 2), at: now)
        #expect(refusal(standing, old) == .issuedBefore(Organization.start))
    }
}
