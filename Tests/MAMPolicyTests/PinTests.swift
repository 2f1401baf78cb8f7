import MAMModel
import MAMPolicy
import Testing

@Suite struct PinTests {
    private static func flaw(_ text: String, _ configure: (inout PinRules) -> Void) -> PinFlaw? {
        var rules = PinRules()
        rules.isRequired = true
        configure(&rules)
        return rules.flaw(inBytes: Array(text.utf8))
    }

    /// Minimum 4. Columns: numeric; numeric, no simple ones; with letters or symbols; the same, no
    /// simple ones. `s` too short, `q` a simple sequence, `l` needs a letter or symbol, `a` needs
    /// all three kinds, `-` is fine.
    @Test(arguments: [
        ("", "ssss"), ("123", "ssss"), ("ab1", "ssss"), ("äö1", "ssss"), ("🙂🙂", "ssss"),
        ("1235", "-qla"), ("1112", "-qla"), ("1122", "--la"), ("1357", "--la"), ("9876", "-qla"),
        ("2468", "--la"), ("1212", "--la"), ("1211", "--la"), ("1221", "--la"), ("0000", "-qla"),
        ("8901", "--la"), ("9012", "-qla"), ("7890", "-qla"), ("2013", "--la"),
        ("abcd", "-q-a"), ("acbd", "---a"), ("aaab", "-q-a"), ("zyxw", "-q-a"), ("ä9!x", "----"),
        ("ab!1", "----"), ("a1b2", "---a"), ("1!2!", "---a"), ("!!!1", "-q-a"), ("a!!!1", "-q-q"),
        ("()*+", "---a"), ("a1!b", "----"), ("abc1!", "-q-q"), ("pass 42", "----"),
        ("٣٥٧٩", "--la"), ("日本語1!", "----"), ("1a2b3c4d!", "----"),
    ])
    func `what is wrong with a candidate`(_ text: String, _ row: String) {
        let kinds: [(PinCharacters, Bool)] = [
            (.numeric, false), (.numeric, true), (.alphanumericAndSymbol, false),
            (.alphanumericAndSymbol, true),
        ]
        for ((characters, blocksSimple), expected) in zip(kinds, row) {
            let found = Self.flaw(text) {
                $0.characters = characters
                $0.blocksSimple = blocksSimple
            }
            #expect(letter(found) == expected, "\(characters) \(blocksSimple)")
        }
    }

    @Test(
        arguments: [
            [0xFF, 0x31, 0x32, 0x33], [0x31, 0x32, 0x33, 0xC3], [0xC0, 0x80, 0x31, 0x32],
            [0xED, 0xA0, 0x80, 0x31, 0x32, 0x33], [0xF4, 0x90, 0x80, 0x80, 0x31, 0x32, 0x33],
        ] as [[UInt8]])
    func `what is not text is refused`(_ bytes: [UInt8]) {
        var rules = PinRules()
        rules.isRequired = true
        #expect(rules.flaw(inBytes: bytes) == .notText)
        rules.isRequired = false
        #expect(rules.flaw(inBytes: bytes) == nil)
    }

    @Test func `changes are limited by age, if one is required, or by reuse`() {
        var rules = PinRules()
        #expect(!rules.limitsChanges)
        rules.expirySeconds = 1
        #expect(!rules.limitsChanges)
        rules.isRequired = true
        #expect(rules.limitsChanges)
        rules.expirySeconds = nil
        #expect(!rules.limitsChanges)
        rules = PinRules()
        rules.previousBlockCount = 1
        #expect(rules.limitsChanges)
    }

    @Test func `length is counted in characters, and any number is a length`() {
        #expect(Self.flaw("äöüß") { $0.minimumLength = 4 } == nil)
        #expect(Self.flaw("äöüß") { $0.minimumLength = 5 } == .tooShort(minimum: 5))
        #expect(Self.flaw("") { $0.minimumLength = -1 } == nil)
        let huge = String(repeating: "13", count: 500_000)
        #expect(Self.flaw(huge) { $0.minimumLength = .max } == .tooShort(minimum: .max))
        #expect(Self.flaw(huge) { $0.blocksSimple = true } == nil)
    }

    @Test(arguments: [
        ("my first student is federal weapons expert", 0), ("first student", 3),
        ("abcdefghijklmnopqrstuvwxyz", 1), (String(repeating: "a", count: 100), 1),
        ("1593571593571111", 13), ("159357159357111159", 0),
    ])
    func `sequences are allowed where other characters are enough`(_ text: String, _ first: Int) {
        let found = Self.flaw(text) { ($0.blocksSimple, $0.longLength) = (true, 16) }
        #expect(found == (first == 0 ? nil : .simpleSequence(first: first, enough: 16)))
    }

    @Test func `a policy that does not allow them refuses them at any length`() {
        let words = "my first student is federal weapons expert"
        let flaw = PinFlaw.simpleSequence(first: 6, enough: nil)
        #expect(Self.flaw(words) { $0.blocksSimple = true } == flaw)
        let lax = policy { ($0.simplePinBlocked, $0.mamdLongPinLength) = (true, 16) }
        #expect(lax.pin.longLength == 16)
        let strict = policy { ($0.simplePinBlocked, $0.mamdLongPinLength) = (true, 65_535) }
        #expect(strict.pin.longLength == nil)
    }

    /// Columns: no rules; 4 characters; 10; with letters or symbols, no simple ones.
    /// `f` too short for a file, otherwise as above.
    @Test(arguments: [
        ("", "ffsf"), ("x", "ffsf"), ("15937", "ffsf"), ("1593715", "ffsf"),
        ("ä!ö?ü&ß", "ffsf"), ("15937158", "--sa"), ("ä!ö?ü&ßx", "--sa"),
        ("1597531597", "---a"),
        ("pass 42 x", "--s-"), ("pass 422 x", "----"), ("pass 4222 x", "---q"),
    ])
    func `what is wrong with the passphrase of a file of keys`(_ text: String, _ row: String) {
        let kinds: [(inout PinRules) -> Void] = [
            { $0.isRequired = false }, { _ in }, { $0.minimumLength = 10 },
            {
                $0.characters = .alphanumericAndSymbol
                $0.blocksSimple = true
            },
        ]
        for (configure, expected) in zip(kinds, row) {
            var rules = PinRules()
            rules.isRequired = true
            configure(&rules)
            let found = Array(text.utf8).withUnsafeBytes { rules.flaw(forFile: $0) }
            #expect(letter(found) == expected, "\(rules)")
        }
        #expect([0xFF, 0x31].withUnsafeBytes { PinRules().flaw(forFile: $0) } == .notText)
    }

    @Test func `a policy that says nothing asks for none`() {
        let found = policy().pin
        #expect(!found.isRequired && !found.requiresCredentials && !found.yieldsToDeviceLock)
        #expect(found.minimumLength == 4 && found.maximumRetries == 5)
        #expect(found.wipesAfter == nil && found.expirySeconds == nil)
        #expect(found.flaw(inBytes: []) == nil)
    }

    @Test func `every setting is taken over`() {
        let found = policy {
            $0.pinRequired = true
            $0.maximumPinRetries = 3
            $0.appActionIfMaximumPinRetriesExceeded = .wipe
            $0.simplePinBlocked = true
            $0.minimumPinLength = 6
            $0.pinCharacterSet = .alphanumericAndSymbol
            $0.periodBeforePinReset = PolicyDuration(seconds: 7_776_000)
            $0.previousPinBlockCount = 24
            $0.disableAppPinIfDevicePinIsSet = true
            $0.fingerprintBlocked = true
            $0.faceIdBlocked = true
            $0.pinRequiredInsteadOfBiometricTimeout = PolicyDuration(seconds: 1800)
            $0.organizationalCredentialsRequired = true
        }.pin
        #expect(found.isRequired && found.yieldsToDeviceLock && found.requiresCredentials)
        #expect(found.maximumRetries == 3 && found.wipesAfter == 3)
        #expect(found.blocksSimple && found.minimumLength == 6)
        #expect(found.characters == .alphanumericAndSymbol)
        #expect(found.expirySeconds == 7_776_000 && found.previousBlockCount == 24)
        #expect(!found.allowsFingerprint && !found.allowsFace)
        #expect(found.biometricOverrideSeconds == 1800)
    }

    @Test(
        arguments: [
            (nil, nil), (.block, nil), (.warn, nil), (.blockWhenSettingIsSupported, nil),
            (.wipe, 1),
        ] as [(RemediationAction?, Int?)])
    func `the last try`(_ asked: RemediationAction?, _ expected: Int?) {
        let found = policy {
            $0.pinRequired = true
            $0.appActionIfMaximumPinRetriesExceeded = asked
            $0.maximumPinRetries = 0
            $0.periodBeforePinReset = PolicyDuration(seconds: 0)
        }.pin
        #expect(found.wipesAfter == expected)
        #expect(found.maximumRetries == 1)
        #expect(found.expirySeconds == nil)
    }

    private func letter(_ flaw: PinFlaw?) -> Character {
        switch flaw {
        case nil: "-"
        case .notText: "u"
        case .tooShort: "s"
        case .tooShortForFile: "f"
        case .needsLetterOrSymbol: "l"
        case .needsDigitLetterAndSymbol: "a"
        case .simpleSequence: "q"
        }
    }
}

extension PinRules {
    fileprivate func flaw(inBytes bytes: [UInt8]) -> PinFlaw? {
        bytes.withUnsafeBytes { flaw(in: $0) }
    }
}
