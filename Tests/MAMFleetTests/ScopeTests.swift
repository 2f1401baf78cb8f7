import MAMFleet
import MAMModel
import Testing

private let kinds: [DocumentKind] = [.policy, .membership, .settings]
private let audiences: [Audience] = [
    .all, .group("sales"), .group("lab"), .machine(Organization.machine),
]

/// A policy key that signs for one group of machines alone.
@Suite struct ScopeTests {
    let contoso: Organization
    let sales: Key
    let now = Organization.start + 60

    init() {
        var contoso = Organization()
        sales = Key()
        contoso.policies.append(sales)
        self.contoso = contoso
    }

    private var prefix: String { Root.namePrefix(of: sales.id) }

    private func root(
        _ scopes: [Bytes16: Set<String>], serial: Int64 = 1
    ) throws -> Envelope {
        var root = try Root(parsing: contoso.root().content)
        root.scopes = scopes
        return contoso.envelope(
            .root, root.json.encoded(), name: "root", serial: serial, days: nil,
            by: contoso.roots)
    }

    private func standing() throws -> MachineStanding {
        try MachineStanding(
            pinning: root([sales.id: ["sales"]]), machine: Organization.machine)
    }

    private func refusal(_ envelope: Envelope) throws -> Refusal? {
        var standing = try standing()
        do throws(Refusal) { _ = try standing.accept(envelope, at: now) } catch { return error }
        return nil
    }

    private func content(of kind: DocumentKind) -> [UInt8] {
        kind == .membership ? Membership().json.encoded() : Array("{}".utf8)
    }

    @Test(arguments: kinds, audiences)
    func `it signs policies for its group, and nothing else`(
        _ kind: DocumentKind, _ audience: Audience
    ) throws {
        let document = { (name: String, keys: [Key]) in
            contoso.envelope(kind, content(of: kind), for: audience, name: name, by: keys)
        }
        let isWithin = kind == .policy && audience == .group("sales")
        let refused = Refusal.outOfScope(sales.id, ["sales"])
        #expect(try refusal(document(prefix + "a.json", [sales])) == (isWithin ? nil : refused))
        // In the place of another key's.
        #expect(try refusal(document("a.json", [sales])) == refused)
        #expect(refused.kind == .unsigned)
        // Others sign as ever, there too.
        for name in ["a.json", prefix + "a.json"] {
            #expect(try refusal(document(name, [contoso.policies[0]])) == nil)
            #expect(try refusal(document(name, contoso.policies)) == nil)
        }
    }

    @Test func `it takes back its own alone`() throws {
        var standing = try standing()
        let group = Audience.group("sales")
        let others = contoso.envelope(
            .policy, Array("{}".utf8), for: group, name: "a.json", by: [contoso.policies[0]])
        _ = try standing.accept(others, at: now)
        let withdrawal = { (name: String) in
            contoso.envelope(.policy, [], for: group, name: name, serial: 9, by: [sales])
        }
        #expect(throws: Refusal.outOfScope(sales.id, ["sales"])) {
            try standing.accept(withdrawal("a.json"), at: now)
        }
        _ = try standing.accept(withdrawal(prefix + "a.json"), at: now)
        #expect(standing.documents[others.slot]?.content == Array("{}".utf8))
    }

    @Test func `its signature does not count beside another key's for a threshold`() throws {
        let document = contoso.envelope(
            .policy, Array("{}".utf8), name: "a.json", by: contoso.policies)
        let root = try Root(parsing: root([sales.id: ["sales"]]).content)
        let signed = try SignedDocument(document, by: root, of: contoso.id)
        #expect(signed.envelope.signatures.map(\.key) == [contoso.policies[0].id])
    }

    @Test func `a root that narrows a key takes away what it signed for others`() throws {
        var standing = try MachineStanding(pinning: root([:]), machine: Organization.machine)
        let document = contoso.envelope(
            .policy, Array("{}".utf8), name: "a.json", by: [sales])
        _ = try standing.accept(document, at: now)
        _ = try standing.accept(root([sales.id: ["sales"]], serial: 2), at: now)
        #expect(standing.droppedDocuments == [document.slot])
    }

    @Test func `a root without scopes is written as before`() throws {
        let before = try contoso.root().content
        #expect(try Root(parsing: before).json.encoded() == before)
        #expect(!String(decoding: before, as: UTF8.self).contains("scopes"))
    }

    @Test(arguments: [
        "{}", "[]", "null", #"{"ID": []}"#, #"{"ID": ["a", "a"]}"#, #"{"ID": ["a/b"]}"#,
        #"{"ID": [7]}"#, #"{"00000000000000000000000000000000": ["a"]}"#, #"{"x": ["a"]}"#,
        #"{"ID": ["a"], "OTHER": ["b"]}"#,
    ])
    func `a root with scopes that nobody would write is refused`(_ text: String) throws {
        let scopes = text.replacing("ID", with: "\(sales.id)")
            .replacing("OTHER", with: "\(contoso.policies[0].id)")
        var members = try JSONValue(parsing: contoso.root().content).object ?? [:]
        members["scopes"] = try JSONValue(parsing: Array(scopes.utf8))
        #expect(throws: Refusal.self) { try Root(parsing: JSONValue.object(members).encoded()) }
    }
}

extension Envelope {
    /// Of a document that these tests have made.
    fileprivate var slot: Slot {
        let statement = try? statement()
        return Slot(kind, statement?.audience ?? .all, statement?.name ?? "")
    }
}
