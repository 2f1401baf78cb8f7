import MAMModel
import MAMPolicy
import MAMSettings
import Testing

/// What an organisation asks of the settings makes them stricter, and never laxer.
@Suite struct AskedSettingsTests {
    /// Of each key values from the laxest to the strictest, as settings.json has them.
    private static let orders: [(key: String, values: [JSONValue])] = [
        ("Containment", ["off", "offered", "policy", "required"]),
        ("ContainedNetwork", ["any", [443, 8443], [443], "none"]),
        ("ContainedTerminalBlocked", [false, true]), ("ContainedNestedRequired", [false, true]),
        ("LockGraceSeconds", [3600, 10, 0]), ("LockOn.SessionLock", ["never", "grace", "now"]),
        ("LockOn.Sleep", ["never", "now"]), ("LockOn.IdleSeconds", [0, 86_400, 900, 1]),
        (
            "TrustedPrograms",
            [["/usr/bin/backup", "/usr/bin/scan"], ["/usr/bin/scan"], []]
        ),
    ]

    @Test func `the stricter of both counts, for each pair of values`() throws {
        #expect(Self.orders.map(\.key) + Self.probes == AskedSettings.keys)
        for (key, values) in Self.orders {
            for (low, own) in values.enumerated() {
                for (high, asked) in values.enumerated() {
                    let settings = try self.asked(key, asked).strictest(with: settings(key, own))
                    #expect(
                        AskedSettings.value(of: key, in: settings) == values[max(low, high)],
                        "\(key): \(own), asked for \(asked)")
                    // Nothing else has changed.
                    #expect(try settings == self.settings(key, values[max(low, high)]))
                }
            }
        }
    }

    @Test func `which of two documents asks less is told, for each pair of values`() throws {
        for (key, values) in Self.orders {
            for (low, former) in values.enumerated() {
                for (high, new) in values.enumerated() {
                    let laxer = try asked(key, former).keysLaxer(in: asked(key, new))
                    #expect(laxer == (high < low ? [key] : []), "\(key): \(former), then \(new)")
                }
                #expect(try asked(key, former).keysLaxer(in: AskedSettings()) == [key])
            }
        }
    }

    @Test func `a contact is plain text of at most 200 bytes, and asks for nothing`() throws {
        let words = "Ann Ångström <help@contoso.com>, +49 30 1234, https://help.contoso.com/?a=b"
        let asked = try asked("Contact", .string(words))
        #expect(asked.contact == words)
        #expect(asked.values.isEmpty)
        #expect(asked.strictest(with: Settings()) == Settings())
        let longest = String(repeating: "é", count: 100)
        #expect(try self.asked("Contact", .string(longest)).contact == longest)
        let refused: [JSONValue] = [
            "", "  ", "two\nlines", "\u{1B}[31mred", "right\u{202E}left", "zero\u{200B}width",
            .string(longest + "x"), 7, ["a"], .null,
        ]
        for value in refused {
            #expect(throws: PolicyError.self, "\(value)") { try self.asked("Contact", value) }
        }
    }

    @Test func `ports are those that both name, and no port is no network`() throws {
        let cases: [(JSONValue, JSONValue, JSONValue)] = [
            ([1, 2], [2, 3], [2]), ([1], [2], "none"), ([1, 2], "none", "none"),
        ]
        for (own, other, expected) in cases {
            for (one, two) in [(own, other), (other, own)] {
                let settings = try asked("ContainedNetwork", two).strictest(
                    with: settings("ContainedNetwork", one))
                #expect(AskedSettings.value(of: "ContainedNetwork", in: settings) == expected)
            }
        }
    }

    @Test func `a program that the machine does not trust is not trusted by being asked for`()
        throws
    {
        let asked = try asked("TrustedPrograms", ["/home/eve/thief", "/usr/bin/scan"])
        #expect(asked.strictest(with: Settings()).trustedPrograms.isEmpty)
        let own = try settings("TrustedPrograms", ["/usr/bin/scan", "/usr/bin/backup"])
        #expect(asked.strictest(with: own).trustedPrograms == ["/usr/bin/scan"])
    }

    private static let probes = [
        "OsVersion", "AppVersion", "SdkVersion", "DeviceModel", "Compliance", "ClockStatus",
        "ThreatLevel",
    ].map { "Probes.\($0)" }

    @Test(arguments: probes)
    func `a probe is required by name, and never a program`(_ key: String) throws {
        let own = Settings()
        #expect(try asked(key, "required").strictest(with: own) == own)
        #expect(try asked(key, "required").keysLaxer(in: asked(key, "required")) == [])
        for value: JSONValue in [["/home/eve/thief"], "/home/eve/thief", true, [:], .null] {
            #expect(throws: PolicyError.self, "\(value)") { try asked(key, value) }
        }
    }

    @Test(
        arguments: [
            "Hooks.Wipe", "Hooks.CheckIn", "FleetUser", "AllowedAccounts", "AuditMiB",
            "DebugSettingsEnabled", "KeyDerivation.Passes", "ManagedPrograms", "Hook", "LockOn.x",
            "Probes.Osversion", "IntuneMAMSettings",
        ])
    func `what nobody may ask for is refused by name`(_ key: String) {
        #expect(!AskedSettings.keys.contains(key))
        let error = #expect(throws: PolicyError.self) { try asked(key, "x") }
        #expect(error?.description.hasPrefix("\(key) is no setting") == true)
    }

    @Test func `a wrong value refuses the document, also where a machine would take the default`()
        throws
    {
        for (key, value) in [
            ("TrustedPrograms", ["relative"]), ("TrustedPrograms", .null), ("Containment", "of"),
            ("Containment", .null), ("LockOn.IdleSeconds", -1), ("LockOn", "now"),
            ("ContainedNetwork", []),
        ] as [(String, JSONValue)] {
            #expect(throws: PolicyError.self, "\(key): \(value)") { try asked(key, value) }
        }
        for text in ["[]", "{", "7", "", #"{"Containment": "off", "Containment": "required"}"#] {
            #expect(throws: PolicyError.self, "\(text)") {
                try AskedSettings(parsing: Array(text.utf8))
            }
        }
    }

    @Test func `a misspelled key is told with its line and the key that was meant`() throws {
        let text = Array("{\n  \"LockOn\": {\n    \"Slep\": \"now\"\n  }\n}".utf8)
        let error = #expect(throws: PolicyError.self) { try AskedSettings(parsing: text) }
        #expect(error?.description.contains("LockOn.Sleep") == true)
        #expect(line(of: ["LockOn", "Slep"], in: text) == 3)
        #expect(line(of: ["LockOn", "Sleep"], in: text) == nil)
    }

    private func object(_ key: String, _ value: JSONValue) -> [UInt8] {
        let parts = key.split(separator: ".").map(String.init)
        let inner: JSONValue = parts.count == 2 ? .object([parts[1]: value]) : value
        return JSONValue.object([parts[0]: inner]).encoded()
    }

    private func asked(_ key: String, _ value: JSONValue) throws -> AskedSettings {
        try AskedSettings(parsing: object(key, value))
    }

    private func settings(_ key: String, _ value: JSONValue) throws -> Settings {
        try Settings.decode(object(key, value))
    }
}
