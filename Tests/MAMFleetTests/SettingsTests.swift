import MAMFleet
import MAMModel
import Testing

/// What is asked of the settings is kept as policies are.
@Suite struct SettingsTests {
    let contoso = Organization()
    let now = Organization.start + 60

    private func settings(
        _ text: String = #"{"Containment": "required"}"#, for audience: Audience = .all,
        serial: Int64 = 1, days: Int64 = 30, by signers: [Key]? = nil
    ) -> Envelope {
        contoso.envelope(
            .settings, Array(text.utf8), for: audience, name: "settings.json", serial: serial,
            days: days, by: signers ?? contoso.policies)
    }

    private func refusal(_ standing: inout MachineStanding, _ envelope: Envelope) -> Refusal? {
        do throws(Refusal) { _ = try standing.accept(envelope, at: now) } catch { return error }
        return nil
    }

    @Test func `policy keys sign them, and no others`() throws {
        var standing = try contoso.standing()
        for keys in [contoso.orders, contoso.times, contoso.roots, [Key()], []] {
            #expect(
                refusal(&standing, settings(by: keys))
                    == .notSigned(.policy, found: 0, needed: 1))
        }
        #expect(standing.settings.isEmpty)
        #expect(try standing.accept(settings(), at: now) == .documents)
        #expect(standing.settings.count == 1)
        #expect(try MachineStanding(standing.json) == standing)
    }

    @Test func `a policy does not pass for settings, nor settings for a policy`() throws {
        var standing = try contoso.standing()
        for (kind, other) in [("policy", "settings"), ("settings", "policy")] {
            var members = (kind == "policy" ? contoso.policy() : settings()).json.object ?? [:]
            members["payloadType"] = .string("application/vnd.mamd.\(other)+json")
            let forged = try Envelope(parsing: JSONValue.object(members).encoded())
            #expect(refusal(&standing, forged)?.kind == .unsigned)
        }
    }

    @Test func `an older serial does not come back, nor one that was withdrawn`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(settings(serial: 2), at: now)
        #expect(refusal(&standing, settings("{}", serial: 1)) == .older(serial: 1, than: 2))
        _ = try standing.accept(settings("", serial: 3), at: now)
        #expect(standing.settings.isEmpty)
        #expect(refusal(&standing, settings(serial: 2)) == .older(serial: 2, than: 3))
    }

    @Test func `they stay when they expire, and check-ins count no more`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(settings(days: 1), at: now)
        let later = now + 2 * Organization.day
        _ = try standing.accept(contoso.time(at: later), at: later)
        #expect(standing.settings.count == 1)
        let slot = Slot(.settings, .all, "settings.json")
        #expect(standing.staleness(at: later) == .expired(slot, now - 60 + Organization.day))
    }

    @Test func `a time that names them tells that they were held back`() throws {
        var standing = try contoso.standing()
        let slot = Slot(.settings, .all, "settings.json")
        _ = try standing.accept(contoso.time(at: now, heads: [slot: 1]), at: now)
        #expect(standing.staleness(at: now) == .heldBack(slot, serial: 1))
        _ = try standing.accept(settings(), at: now)
        #expect(standing.staleness(at: now) == nil)
    }

    @Test func `those of other groups and machines are not in force`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(settings(for: .group("lab")), at: now)
        #expect(standing.settings.isEmpty)
        let other = Bytes16(high: 3, low: 3)
        #expect(
            refusal(&standing, settings(for: .machine(other)))
                == .notForThisMachine(.machine(other)))
        let membership = contoso.envelope(
            .membership, Membership(groups: ["lab"]).json.encoded(),
            for: .machine(Organization.machine), name: "groups", by: contoso.policies)
        _ = try standing.accept(membership, at: now)
        #expect(standing.settings.map(\.slot.audience) == [.group("lab")])
    }

    @Test func `a root that takes their key away closes accounts until they come again`() throws {
        var standing = try contoso.standing()
        _ = try standing.accept(settings(), at: now)
        var next = contoso
        next.policies = [Key()]
        let root = next.envelope(
            .root, try Root(parsing: next.root().content).json.encoded(), name: "root", serial: 2,
            issued: now, days: nil, by: next.roots)
        _ = try standing.accept(root, at: now)
        #expect(standing.droppedDocuments == [Slot(.settings, .all, "settings.json")])
        let new = next.envelope(
            .settings, Array("{}".utf8), name: "settings.json", issued: now, by: next.policies)
        _ = try standing.accept(new, at: now)
        #expect(standing.droppedDocuments.isEmpty)
    }

    @Test(arguments: ["[]", "7", "{", "null"])
    func `what is no object is refused`(_ text: String) throws {
        var standing = try contoso.standing()
        #expect(refusal(&standing, settings(text))?.kind == .malformed)
    }
}
