import MAMCrypto
import MAMFleet
import MAMModel
import MAMPolicy
import TestSupport
import Testing

@testable import MAMOffice

@Suite struct PeopleSettingsTests {
    private static let good: [String: JSONValue] = [
        "uri": "ldaps://dc1.contoso.com", "bindDN": "CN=mamd", "passwordFile": "people.password",
        "base": "OU=People", "filter": "(mail=*)", "name": "mail", "groupFilter": "(cn=*)",
        "groups": ["lab": "CN=Lab"],
    ]

    private func flaw(_ changes: [String: JSONValue?]) -> String? {
        let members = Self.good.merging(changes.compactMapValues(\.self)) { $1 }
            .filter { changes[$0.key] != .some(nil) }
        do throws(PolicyError) {
            _ = try PeopleSettings(parsing: JSONValue.object(members).encoded())
            return nil
        } catch {
            guard case .value(let key, _) = error else { return "\(error)" }
            return key
        }
    }

    @Test func `what may be left out has its usual value`() throws {
        let settings = try PeopleSettings(parsing: JSONValue.object(Self.good).encoded())
        #expect(settings.member == "member")
        #expect(settings.groupBase == "OU=People")
        #expect(settings.certificates == "/etc/ssl/certs/ca-certificates.crt")
        #expect(settings.mostLeaving == nil)
    }

    @Test(arguments: [
        ("uri", "http://dc1"), ("uri", "ldap://a,ldap://b"), ("uri", "ldaps://dc1/dc=x"),
        ("uri", "ldap://"), ("filter", "mail=*"), ("name", "-D"), ("name", "mail x"),
        ("passwordFile", "/etc/passwd"), ("base", ""), ("base", "OU=a\nb"), ("mostLeaving", "2"),
        ("unknown", "x"), ("groups", "lab"),
    ])
    func `a bad value is named by its key`(_ key: String, _ value: String) {
        #expect(flaw([key: .string(value)]) == key)
    }

    @Test func `groups have names that documents may have`() {
        #expect(flaw(["groups": [:]]) == "groups")
        #expect(flaw(["groups": ["a/b": "CN=x"]]) == "groups")
        #expect(flaw(["groups": ["lab": "CN=x", "Lab": "CN=y"]]) == "groups")
        #expect(flaw(["groups": ["lab": 1]]) == "groups.lab")
    }

    @Test func `only a socket needs no password`() {
        #expect(flaw(["passwordFile": nil]) == "passwordFile")
        #expect(flaw(["bindDN": nil]) == "bindDN")
        #expect(flaw(["bindDN": nil, "passwordFile": nil]) == "bindDN")
        #expect(flaw(["uri": "ldapi://%2frun%2fldapi", "bindDN": nil]) == "passwordFile")
        #expect(
            flaw(["uri": "ldapi://%2frun%2fldapi", "bindDN": nil, "passwordFile": nil]) == nil)
    }
}

@Suite struct DirectoryPeopleTests {
    private func person(_ name: String, _ values: [UInt8]...) -> DirectoryEntry {
        DirectoryEntry(dn: "uid=\(name),ou=p", values: ["mail": values])
    }

    private func person(_ name: String) -> DirectoryEntry {
        person(name, Array("\(name)@contoso.com".utf8))
    }

    private func group(_ name: String, _ members: String..., part: String = "") -> DirectoryEntry {
        DirectoryEntry(
            dn: "cn=\(name),ou=g", values: ["member\(part)": members.map { Array($0.utf8) }])
    }

    private func members(
        _ people: [DirectoryEntry], _ groups: [DirectoryEntry], of dn: String = "cn=lab,ou=g",
        more: @escaping (String, String) throws -> DirectoryEntry? = { _, _ in nil }
    ) throws -> DirectoryMembers {
        try DirectoryGroups(groups, attribute: "Member", more: more).members(
            of: "lab", dn: dn, among: DirectoryPeople(people, attribute: "Mail"))
    }

    @Test func `LDIF as ldapsearch prints it`() throws {
        let text =
            "dn: cn=a\nMail: a@x\nmail:: YgA=\nsn:\n\n# pagedresults: cookie=\ndn:: Y249Yg==\n\n"
        let entries = try DirectoryEntry.all(in: Array(text.utf8))
        #expect(entries.map(\.dn) == ["cn=a", "cn=b"])
        #expect(entries[0].values == ["mail": [Array("a@x".utf8), [0x62, 0]], "sn": [[]]])
    }

    @Test(arguments: [
        "dn: cn=a\nmail: a@x\n", "mail: a@x\n\n", "dn: cn=a\n mail: a@x\n\n", "dn: cn=a\nmail\n\n",
        "dn: cn=a\nmail:: ?\n\n", "dn: cn=a\njpeg:< file:///etc/passwd\n\n", "dn:: /w==\n\n",
    ])
    func `what is cut or damaged is refused`(_ text: String) {
        #expect(throws: PeopleRefusal.self) { try DirectoryEntry.all(in: Array(text.utf8)) }
    }

    @Test func `a reference to another server is refused`() {
        #expect(throws: PeopleRefusal.elsewhere) {
            try DirectoryEntry.all(in: Array("# refldap://b/ou=x\n\n".utf8))
        }
    }

    @Test func `groups in groups, in a circle too`() throws {
        let found = try members(
            [person("ann"), person("bob"), person("eve")],
            [
                group("lab", "UID=Ann, ou=P", "cn=in,ou=g", "uid=gone,ou=p"),
                group("in", "uid=bob,ou=p", "uid=ann,ou=p", "cn=lab,ou=g", "cn=in,ou=g"),
            ])
        #expect(found.names == ["ann@contoso.com", "bob@contoso.com"])
        #expect(found.otherCount == 1)
        #expect(found.nameless.isEmpty)
    }

    @Test(arguments: [
        ("", NamelessMember.Reason.malformed), ("ann", .malformed), ("@x", .malformed),
        ("a@", .malformed), ("a@b@c", .malformed), ("a b@c", .malformed), ("a\nb@c", .control),
        ("a\0@c", .control), ("a\u{202E}@c", .control),
        (String(repeating: "a", count: 600) + "@c", .long),
    ])
    func `hostile names are left out and told`(
        _ name: String, _ reason: NamelessMember.Reason
    ) throws {
        let found = try members(
            [person("ann", Array(name.utf8)), person("bob")],
            [group("lab", "uid=ann,ou=p", "uid=bob,ou=p")])
        #expect(found.names == ["bob@contoso.com"])
        #expect(found.nameless == [NamelessMember(dn: "uid=ann,ou=p", reason: reason)])
    }

    @Test func `several names, none, or no text`() throws {
        let found = try members(
            [
                person("a", Array("a@x".utf8), Array("b@x".utf8)), DirectoryEntry(dn: "uid=b,ou=p"),
                person("c", [0xFF, 0x40, 0x61]), person("d"),
            ], [group("lab", "uid=a,ou=p", "uid=b,ou=p", "uid=c,ou=p")])
        #expect(found.names.isEmpty)
        #expect(found.nameless.map(\.reason) == [.several, .none, .malformed])
    }

    @Test func `one name belongs to one person, whatever its case`() {
        #expect(throws: PeopleRefusal.self) {
            try DirectoryPeople(
                [person("ann"), person("eve", Array("ANN@contoso.com".utf8))], attribute: "mail")
        }
        #expect(throws: PeopleRefusal.sameEntry(dn: "uid=ann,ou=p")) {
            try DirectoryPeople([person("ann"), person("ann")], attribute: "mail")
        }
        #expect(throws: PeopleRefusal.nobody) { try DirectoryPeople([], attribute: "mail") }
        #expect(throws: PeopleRefusal.nameless(attribute: "male")) {
            try DirectoryPeople([person("ann")], attribute: "male")
        }
    }

    @Test func `a group that is gone is refused`() {
        #expect(throws: PeopleRefusal.noGroup("lab", dn: "cn=lab,ou=g")) {
            try members([person("ann")], [group("other")])
        }
    }

    @Test func `parts of a long list are all read`() throws {
        let people = (0..<5).map { person("p\($0)") }
        let dns = people.map(\.dn)
        let first = DirectoryEntry(
            dn: "cn=lab,ou=g",
            values: ["member": [[]], "member;range=0-1": dns[..<2].map { Array($0.utf8) }])
        let found = try members(people, [first]) { _, attribute in
            attribute == "member;range=2-*"
                ? group("lab", dns[2], dns[3], part: ";range=2-3")
                : group("lab", dns[4], part: ";range=4-*")
        }
        #expect(found.names.count == 5)
    }

    @Test(arguments: [";range=0-3", ";range=1-2", ";range=0", ";binary", ";range=-1-1"])
    func `parts that do not fit are refused`(_ part: String) {
        #expect(throws: PeopleRefusal.brokenRange(dn: "cn=lab,ou=g")) {
            try members(
                [person("a"), person("b")], [group("lab", "uid=a,ou=p", "uid=b,ou=p", part: part)])
        }
    }

    @Test func `a part that never comes, or comes again, is refused`() {
        let first = group("lab", "uid=a,ou=p", part: ";range=0-0")
        for next in [nil, first, group("lab"), group("other", "uid=a,ou=p", part: ";range=1-*")] {
            #expect(throws: PeopleRefusal.brokenRange(dn: "cn=lab,ou=g")) {
                try members([person("a")], [first]) { _, _ in next }
            }
        }
    }
}

@Suite struct MembershipChangeTests {
    private func change(_ former: [String]?, _ new: [String]) -> MembershipChange? {
        let slot = PeopleSettings.slot(ofGroup: "lab")
        let content = { Membership(members: ["lab": $0]).json.encoded() }
        let signed = former.map {
            SignedPolicy(
                file: "", slot: slot, serial: 1, issued: 0, expires: .max,
                content: content($0), isValid: true)
        }
        return MembershipChange(
            PolicyChange(
                slot: slot, action: .changed, content: content(new), former: signed))
    }

    private func isRefused(
        _ former: [String]?, _ new: [String], most: Int? = nil, named: Int? = nil
    ) -> Bool {
        (try? change(former, new)?.check(atMost: most, named: named)) == nil
    }

    private let twenty = (0..<20).map { "p\($0)@x" }

    @Test func `who comes and who goes, whatever the case`() throws {
        let found = try #require(change(["a@x", "B@x"], ["b@X", "c@x"]))
        #expect((found.joining, found.leaving) == (["c@x"], ["a@x"]))
    }

    @Test func `more than a tenth leaves by name and count alone`() {
        #expect(!isRefused(twenty, Array(twenty.dropFirst(2))))
        #expect(isRefused(twenty, Array(twenty.dropFirst(3))))
        #expect(!isRefused(twenty, Array(twenty.dropFirst(3)), named: 3))
        #expect(isRefused(twenty, Array(twenty.dropFirst(3)), named: 2))
        #expect(!isRefused(twenty, Array(twenty.dropFirst(3)), most: 3))
        #expect(isRefused(twenty, Array(twenty.dropFirst(1)), most: 0))
    }

    @Test func `nobody is left by name and count alone`() {
        #expect(isRefused(["a@x"], []))
        #expect(isRefused(twenty, [], most: 100))
        #expect(!isRefused(twenty, [], named: 20))
        #expect(isRefused(nil, []))
        #expect(!isRefused(nil, [], named: 0))
        #expect(!isRefused([], []))
        #expect(!isRefused(nil, ["a@x"]))
    }

    @Test func `what is too long for a document is refused`() throws {
        let many = { (count: Int) in
            DirectoryMembers(
                group: "lab", names: (0..<count).map { "person-\($0)@contoso.com" }, nameless: [],
                otherCount: 0)
        }
        let content = try many(25_000).wanted().content
        var envelope = Envelope(
            .membership,
            Statement(
                of: content, organization: .zero, audience: .all, name: "people-lab", serial: 1,
                issued: 1, expires: 2), content: content)
        let isSigned = envelope.sign(with: .random(count: 32))
        #expect(isSigned)
        #expect(try Envelope(parsing: envelope.encoded()) == envelope)
        #expect(throws: PeopleRefusal.tooMany(group: "lab", count: 40_000)) {
            try many(40_000).wanted()
        }
    }
}
