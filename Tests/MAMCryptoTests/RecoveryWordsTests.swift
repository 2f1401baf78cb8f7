import Testing

@testable import MAMCrypto

@Suite struct RecoveryWordsTests {
    // Those of 128 bits in vectors.json of python-mnemonic, to which BIP 39 refers.
    private static let vectors = [
        (
            "00000000000000000000000000000000",
            """
            abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon \
            abandon about
            """
        ),
        (
            "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
            "legal winner thank year wave sausage worth useful legal winner thank yellow"
        ),
        (
            "80808080808080808080808080808080",
            "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
        ),
        ("ffffffffffffffffffffffffffffffff", "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong"),
        (
            "9e885d952ad362caeb4efe34a8e91bd2",
            "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic"
        ),
        (
            "c0ba5a8e914111210f2bd131f3d5e08d",
            "scheme spot photo card baby mountain device kick cradle pact join borrow"
        ),
        (
            "23db8160a31d3e0dca3688ed941adbf3",
            "cat swing flag economy stadium alone churn speed unique patch report train"
        ),
        (
            "f30f8c1da665478f49b001d94c5fc452",
            "vessel ladder alter error federal sibling chat ability sun glass valve picture"
        ),
    ]

    private static let entropy = "f30f8c1da665478f49b001d94c5fc452"

    @Test(arguments: vectors)
    func `published vectors hold in both directions`(_ entropy: String, _ words: String) {
        #expect(text(bytes(entropy).withUnsafeBytes { RecoveryWords.words(of: $0) }) == words)
        #expect(read(words) == entropy)
    }

    @Test func `the list is the published one`() {
        let list = WordList().flatMap { Array($0) + Array("\n".utf8) }
        #expect(
            hex(SHA256.digest(of: list))
                == "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda")
    }

    @Test func `each word comes back, whole and by its first four letters`() {
        for (index, word) in WordList().enumerated() {
            // Its 11 bits come first, and other ones behind.
            var entropy = bytes("00000000000000000000000000000000").map { $0 ^ UInt8(index & 0xFF) }
            entropy[0] = UInt8(index >> 3)
            entropy[1] = UInt8(index & 7) << 5
            let words = text(entropy.withUnsafeBytes { RecoveryWords.words(of: $0) })
            #expect(words.split(separator: " ")[0] == String(decoding: word, as: UTF8.self))
            #expect(read(words) == hex(entropy))
            let short = words.split(separator: " ").map { $0.prefix(4) }
            #expect(read(short.joined(separator: " ")) == hex(entropy))
        }
    }

    @Test(
        arguments: [
            ("vessel", "1. Vess", nil), ("picture", "pictures", .unknown(12)),
            ("vessel ladder", "1 vesel 2 lader", .unknown(1)), (" picture", "", .count(11)),
            ("picture", "picture zoo", .count(13)), ("vessel ladder", "ladder vessel", .checksum),
            // What somebody chose
            ("vessel ladder alter", "vesel lader altr", nil), ("picture", "picture zoo zoo", nil),
        ] as [(String, String, RecoveryWords.Mistake?)])
    func `what is meant as words, and is none, is told`(
        _ right: String, _ typed: String, _ mistake: RecoveryWords.Mistake?
    ) {
        let words = Self.vectors[7].1.replacing(right, with: typed)
        #expect(RecoveryWords.mistake(in: secret(Array(words.utf8))) == mistake)
    }

    @Test func `what is generated is twelve words, and others each time`() throws {
        let made = (0..<100).map { _ in RecoveryWords.generate() }
        for words in made {
            #expect(text(words).split(separator: " ", omittingEmptySubsequences: false).count == 12)
            #expect(try #require(RecoveryWords.entropy(of: words)).count == 16)
        }
        #expect(Set(made.map(text)).count == made.count)
    }

    @Test(arguments: [
        "  vessel\tladder  alter error federal sibling\nchat ability sun glass valve picture \r\n",
        "VESSEL Ladder aLTER ERROR FEDERAL SIBLING CHAT ABILITY SUN GLASS VALVE PICTURE",
        "vessel, ladder, alter, error, federal, sibling,chat,ability,sun,glass,valve,picture.",
        """
        1. vessel  2. ladder  3. alter  4. error    5. federal  6. sibling
        7. chat  8. ability  9. sun  10.glass 11.valve 12.picture
        """,
        "vess ladd alte erro fede sibl chat abil sun glas valv pict",
        "vesse ladde alter erro FEDER siblin chat abilit sun glas valve pictu",
    ])
    func `words are read as people type them`(_ typed: String) {
        #expect(read(typed) == Self.entropy)
    }

    @Test(arguments: [
        "", " ", "1. 2. 3.",
        // eleven, and thirteen
        "vessel ladder alter error federal sibling chat ability sun glass valve",
        "vessel ladder alter error federal sibling chat ability sun glass valve picture picture",
        // no word; a word and more; too little of one; in one piece
        "vessel ladder alter error federal sibling chat ability sun glass valve pictogram",
        "vessel ladder alter error federal sibling chat ability sun glasses valve picture",
        "ves ladder alter error federal sibling chat ability sun glass valve picture",
        "vesselladderaltererrorfederalsiblingchatabilitysunglassvalvepicture",
        // a wrong checksum: another last word, two that changed places, all the same
        "vessel ladder alter error federal sibling chat ability sun glass valve pig",
        "ladder vessel alter error federal sibling chat ability sun glass valve picture",
        [String](repeating: "abandon", count: 12).joined(separator: " "),
        // no ASCII, and other signs
        "véssel ladder alter error federal sibling chat ability sun glass valve picture",
        "vessel\u{A0}ladder alter error federal sibling chat ability sun glass valve picture",
        "vessel-ladder alter error federal sibling chat ability sun glass valve picture",
        "[vessel ladder alter error federal sibling chat ability sun glass valve picture",
    ])
    func `anything else is refused`(_ typed: String) {
        #expect(read(typed) == nil)
    }

    @Test func `long, binary and erased texts are refused`() {
        #expect(read(String(repeating: "a", count: 4096)) == nil)
        #expect(read(String(repeating: "zoo ", count: 1024)) == nil)
        for byte in UInt8.min...UInt8.max {
            #expect(RecoveryWords.entropy(of: secret([UInt8](repeating: byte, count: 107))) == nil)
        }
        let erased = RecoveryWords.generate()
        erased.erase()
        #expect(RecoveryWords.entropy(of: erased) == nil)
    }

    private func read(_ typed: String) -> String? {
        RecoveryWords.entropy(of: secret(Array(typed.utf8))).map { hex($0) }
    }

    private func text(_ words: SecretBytes) -> String {
        words.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
