import MAMModel
import Testing

@Suite struct IdentityTests {
    struct Row: Sendable {
        let one: (name: String, objectID: String)
        let other: (name: String, objectID: String)
        let matches: Bool
    }

    static let rows = [
        Row(one: ("ann@contoso.com", ""), other: ("ANN@Contoso.com", ""), matches: true),
        Row(one: ("ann@contoso.com", "A1"), other: ("bob@contoso.com", "a1"), matches: true),
        Row(one: ("ann@contoso.com", "A1"), other: ("bob@contoso.com", "A2"), matches: false),
        Row(one: ("ann@contoso.com", ""), other: ("", "A1"), matches: false),
        Row(one: ("", ""), other: ("", ""), matches: true),
        Row(one: ("", ""), other: ("ann@contoso.com", ""), matches: false),
        Row(one: ("", "A1"), other: ("", ""), matches: false),
        Row(one: ("strauß@x.de", ""), other: ("STRAUSS@X.DE", ""), matches: true),
        Row(one: ("strauẞ@x.de", ""), other: ("strauß@x.de", ""), matches: true),
        Row(one: ("ΝΊΚΟΣ@x.gr", ""), other: ("νίκος@x.gr", ""), matches: true),
        Row(one: ("adm\u{131}n@x.de", ""), other: ("admin@x.de", ""), matches: false),
    ]

    @Test(arguments: rows)
    func `two identities match by name or object id, without regard to case`(row: Row) throws {
        let one = try Identity(name: row.one.name, objectID: row.one.objectID)
        let other = try Identity(name: row.other.name, objectID: row.other.objectID)
        #expect(one.matches(other) == row.matches)
        #expect(other.matches(one) == row.matches)
    }

    @Test func `the first spelling is kept`() throws {
        #expect(try Identity(name: "Ann@Contoso.COM").description == "Ann@Contoso.COM")
    }

    @Test(
        arguments: [
            String(repeating: "a", count: 513), "a\nb", "a\tb", "a\u{7F}",
        ])
    func `names that would not fit a header or a line are refused`(name: String) {
        #expect(throws: Identity.Invalid.self) { try Identity(name: name) }
    }

    @Test func `the longest name is taken, counted in bytes`() throws {
        #expect(try Identity(name: String(repeating: "a", count: 512)).name.utf8.count == 512)
        #expect(throws: Identity.Invalid.nameTooLong(514)) {
            try Identity(name: String(repeating: "é", count: 257))
        }
    }
}

@Suite struct VocabularyTests {
    @Test(arguments: ProtectionClass.allCases, ProtectionClass.allCases)
    func `a ceiling only lowers`(policy: ProtectionClass, ceiling: ProtectionClass) {
        let effective = policy.weaker(of: ceiling)
        #expect(effective.rawValue == max(policy.rawValue, ceiling.rawValue))
    }

    @Test(arguments: ProtectionClass.allCases)
    func `classes are read by letter and by Apple's name`(protectionClass: ProtectionClass) {
        #expect(ProtectionClass(protectionClass.letter.lowercased()) == protectionClass)
        #expect(ProtectionClass(protectionClass.appleName) == protectionClass)
        #expect(ProtectionClass("E") == nil)
    }

    @Test(
        arguments: [
            Bytes16.zero, Bytes16(high: 1, low: .max),
            Bytes16(high: 0xFEDC_BA98_7654_3210, low: 0x42),
        ])
    func `16 bytes and their 32 digits are the same`(bytes: Bytes16) {
        #expect(bytes.description.count == 32)
        #expect(Bytes16(hex: bytes.description) == bytes)
        #expect(Bytes16(hex: bytes.description + "0") == nil)
        #expect(Bytes16(hex: "+" + bytes.description.dropFirst()) == nil)
    }
}
