import MAMModel
import MAMPolicy
import MAMSettings
import Testing

@Suite struct SettingsTests {
    @Test func `the policy for trials counts only where the settings say so`() throws {
        var settings = Settings()
        settings.debugPolicy = ["IntuneMAMPolicy.PINMinLength": 9]
        #expect(try settings.debugDocument() == nil)
        settings.debugSettingsEnabled = true
        #expect(try settings.debugDocument()?.rules.minimumPinLength == 9)
        settings.debugPolicy = [:]
        #expect(try settings.debugDocument() == nil)
    }

    @Test func `an empty object gives the defaults`() throws {
        let settings = try decode("{}")
        #expect(settings == Settings())
        #expect(!settings.multiIdentity)
        #expect(settings.maximumClass == .complete)
        #expect(settings.lockGraceSeconds == 10)
        #expect(settings.lockDeadlineSeconds == 4)
        #expect(settings.lockOnSession == .grace)
        #expect(settings.locksOnSleep)
        #expect(settings.idleLockSeconds == 0)
        #expect(settings.keyDerivationPasses == 3)
        #expect(settings.keyDerivationMemoryByteCount == 268_435_456)
        #expect(settings.deviceDefaultClass == .completeUntilFirstUserAuthentication)
    }

    @Test func `every key is read and unknown ones are named`() throws {
        let settings = try decode(
            """
            {"MultiIdentity": true, "MaxFileProtectionLevel": "NSFileProtectionCompleteUnlessOpen",
             "LockGraceSeconds": 0, "KeyDerivation": {"Passes": 1, "MemoryMiB": 8, "Threads": 2},
             "DeviceDefaultProtectionLevel": "NSFileProtectionNone", "Colour": "blue",
             "LockDeadlineSeconds": 60,
             "LockOn": {"SessionLock": "now", "Sleep": "never", "IdleSeconds": 86400, "Lid": 1}}
            """)
        #expect(settings.multiIdentity)
        #expect(settings.maximumClass == .completeUnlessOpen)
        #expect(settings.lockGraceSeconds == 0)
        #expect(settings.lockDeadlineSeconds == 60)
        #expect(settings.lockOnSession == .now)
        #expect(!settings.locksOnSleep)
        #expect(settings.idleLockSeconds == 86_400)
        #expect(settings.keyDerivationPasses == 1)
        #expect(settings.keyDerivationMemoryByteCount == 8 << 20)
        #expect(settings.deviceDefaultClass == .none)
        #expect(
            settings.warnings == [
                .unknownKey("Colour"), .unknownKey("KeyDerivation.Threads"),
                .unknownKey("LockOn.Lid"),
            ])
    }

    @Test(arguments: [
        #"{"MultiIdentity": 1}"#, #"{"MultiIdentity": "YES"}"#,
        #"{"MaxFileProtectionLevel": "A"}"#, #"{"MaxFileProtectionLevel": "nsfileprotectionnone"}"#,
        #"{"MaxFileProtectionLevel": 1}"#, #"{"LockGraceSeconds": -1}"#,
        #"{"LockGraceSeconds": 3601}"#, #"{"LockGraceSeconds": 0.5}"#,
        #"{"LockGraceSeconds": "10"}"#, #"{"LockGraceSeconds": 1e300}"#, #"{"KeyDerivation": 3}"#,
        #"{"KeyDerivation": {"Passes": 0}}"#, #"{"KeyDerivation": {"MemoryMiB": 7}}"#,
        #"{"KeyDerivation": {"MemoryMiB": 99999999999999999999}}"#,
        #"{"LockDeadlineSeconds": 0}"#, #"{"LockDeadlineSeconds": 61}"#,
        #"{"LockDeadlineSeconds": "4"}"#, #"{"LockOn": "never"}"#,
        #"{"LockOn": {"SessionLock": "later"}}"#, #"{"LockOn": {"SessionLock": true}}"#,
        #"{"LockOn": {"Sleep": "grace"}}"#, #"{"LockOn": {"IdleSeconds": -1}}"#,
        #"{"LockOn": {"IdleSeconds": 86401}}"#, #"{"LockOn": {"IdleSeconds": "never"}}"#,
        #"{"AllowedAccounts": "ann@contoso.com"}"#, #"{"AllowedAccounts": ["ann", 1]}"#,
        #"{"AccountUsers": ["ann"]}"#, #"{"AccountUsers": {"ann@contoso.com": true}}"#,
        #"{"AccountUsers": {"ann@contoso.com": "1000"}}"#,
        #"{"AccountUsers": {"ann@contoso.com": ""}}"#,
        #"{"AccountUsers": {"ann@contoso.com": -1}}"#,
        #"{"AccountUsers": {"ann@contoso.com": 4294967295}}"#,
        #"{"AccountUsers": {"ann@contoso.com": [["ann"]]}}"#,
        #"{"Groups": ["ann"]}"#, #"{"Groups": {"g": "ann"}}"#, #"{"MAMPolicyRequired": "YES"}"#,
        #"{"CheckInSeconds": 31536001}"#,
        #"{"WipePollSeconds": null, "CheckInSeconds": false}"#, #"{"Hooks": []}"#,
        #"{"Hooks": {"Wipe": []}}"#, #"{"Hooks": {"Wipe": ["rm"]}}"#,
        #"{"Hooks": {"Wipe": "/bin/rm"}}"#, #"{"Hooks": {"Wipe": ["/bin/rm", "a\u0000b"]}}"#,
        #"{"Probes": {"ThreatLevel": "worst"}}"#, #"{"Probes": {"OsVersion": "17.4"}}"#,
        #"{"MAMDebugSettings": 1}"#, #"{"IntuneMAMSettings": 7}"#,
    ])
    func `a wrong value is an error that names its key`(_ text: String) throws {
        let error = #expect(throws: PolicyError.self) { try decode(text) }
        guard case .value(let key, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.split(separator: ".").allSatisfy { text.contains("\"\($0)\"") })
    }

    @Test(arguments: ["", "[]", "7", "{\"MultiIdentity\": tru}"])
    func `what is not an object is refused`(_ text: String) {
        #expect(throws: PolicyError.self) { try decode(text) }
    }

    @Test func `an account's users are names, uids or both`() throws {
        let settings = try decode(
            #"{"AccountUsers": {"a": "ann", "b": 1001, "c": ["carl", 7, 0], "d": []}}"#)
        let users: [String: [Settings.UserReference]] = [
            "a": [.name("ann")], "b": [.uid(1001)], "c": [.name("carl"), .uid(7), .uid(0)], "d": [],
        ]
        #expect(settings.accountUsers == users)
        #expect(try Settings.decode(settings.json.encoded()).accountUsers == users)
        #expect(try decode("{}").accountUsers == nil)
    }

    @Test func `an hour of grace is the most`() throws {
        #expect(try decode("{\"LockGraceSeconds\": 3600}").lockGraceSeconds == 3600)
    }

    @Test func `every key for accounts, hooks and probes is read`() throws {
        let settings = try decode(
            """
            {"MAMPolicyRequired": true, "MAMPolicyWarnAbsent": true, "MultiManagedIdentities": true,
             "AllowedAccounts": ["ann@contoso.com"], "Groups": {"G-1": ["ann@contoso.com", "o-2"]},
             "EnrollmentRetrySeconds": 1, "CheckInSeconds": 2, "WipePollSeconds": 3,
             "Hooks": {"Wipe": ["/bin/w", "x"], "Enrollment": ["/bin/e"], "Restart": ["/bin/r"],
                       "AddAccount": ["/bin/a"], "CheckIn": ["/bin/c"], "TimeoutSeconds": 3600},
             "Probes": {"OsVersion": ["/p/o"], "AppVersion": ["/p/a"], "DeviceModel": ["/p/d"],
                        "SdkVersion": ["/p/s"],
                        "Compliance": ["/p/c"], "ClockStatus": ["/p/k"], "ThreatLevel": "low"},
             "ManagedSchemes": ["contoso"], "ManagedPrograms": ["/usr/bin/vi"],
             "VerboseLoggingEnabled": true, "ValuesToScrubFromLogging": ["token"],
             "MAMTelemetryDisabled": true, "DebugSettingsEnabled": true, "BackupExclusion": false,
             "MAMDebugSettings": {"IntuneMAMPolicy.PINEnabled": 1},
             "AccentColor": "00FFaa", "SplashDuration": 1.5, "ADALClientId": "c"}
            """)
        #expect(settings.policyRequired && settings.policyWarnAbsent)
        #expect(settings.autoEnrollOnLaunch && !settings.asksToAutoEnroll)
        #expect(settings.multiManagedIdentities)
        #expect(settings.allowedAccounts == ["ann@contoso.com"])
        #expect(settings.groups == ["G-1": ["ann@contoso.com", "o-2"]])
        #expect(settings.enrollmentRetrySeconds == 1)
        #expect(settings.checkInSeconds == 2)
        #expect(settings.wipePollSeconds == 3)
        #expect(settings.hooks.wipe == ["/bin/w", "x"])
        #expect(settings.hooks.enrollment == ["/bin/e"])
        #expect(settings.hooks.restart == ["/bin/r"])
        #expect(settings.hooks.addAccount == ["/bin/a"])
        #expect(settings.hooks.checkIn == ["/bin/c"])
        #expect(settings.hooks.timeoutSeconds == 3600)
        #expect(settings.probes.osVersion == ["/p/o"])
        #expect(settings.probes.appVersion == ["/p/a"])
        #expect(settings.probes.sdkVersion == ["/p/s"])
        #expect(settings.probes.deviceModel == ["/p/d"])
        #expect(settings.probes.compliance == ["/p/c"])
        #expect(settings.probes.clockStatus == ["/p/k"])
        #expect(settings.probes.statedThreatLevel == .low)
        #expect(settings.probes.threatLevel == nil)
        #expect(settings.managedSchemes == ["contoso"])
        #expect(settings.managedPrograms == ["/usr/bin/vi"])
        #expect(settings.verboseLogging && settings.telemetryDisabled)
        #expect(settings.valuesToScrub == ["token"])
        #expect(settings.debugSettingsEnabled && !settings.backupExclusion)
        #expect(settings.debugPolicy == ["IntuneMAMPolicy.PINEnabled": 1])
        #expect(
            settings.stored == [
                "AccentColor": "00FFaa", "SplashDuration": .number(1.5),
            ])
        #expect(settings.clientID == "c" && settings.signIn == nil)
        #expect(settings.warnings.isEmpty)
        #expect(try decode(String(decoding: settings.json.encoded(), as: UTF8.self)) == settings)
    }

    @Test func `what is unknown stands again in what is written`() throws {
        let text = #"{"Colour":"blue","LockOn":{"IdleSeconds":7,"Lid":1},"MultiIdentity":true}"#
        #expect(String(decoding: try decode(text).json.encoded(), as: UTF8.self) == text)
        #expect(Settings().json == [:])
    }

    @Test func `the settings of an app are read from its property list`() throws {
        let list = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/x.dtd">
            <plist version="1.0"><dict>
              <key>CFBundleName</key><string>Notes &amp; &#x263A;</string>
              <key>IntuneMAMSettings</key>
              <dict><!-- ours -->
                <key>MultiIdentity</key><true/>
                <key>LockGraceSeconds</key><integer>7</integer>
                <key>SplashDuration</key><real>1.5</real>
                <key>ADALClientId</key><string><![CDATA[<a>]]>&lt;</string>
                <key>AppGroupIdentifiers</key><array><string>one</string><string/></array>
              </dict></dict></plist>
            """
        let settings = try decode(list)
        #expect(settings.multiIdentity)
        #expect(settings.lockGraceSeconds == 7)
        #expect(settings.stored["SplashDuration"] == .number(1.5))
        #expect(settings.clientID == "<a><")
        #expect(settings.stored["AppGroupIdentifiers"] == ["one", ""])
        #expect(settings.warnings.isEmpty)
        #expect(
            try decode(#"{"IntuneMAMSettings": {"LockGraceSeconds": 7}}"#).lockGraceSeconds == 7)
    }

    @Test(arguments: [
        "<", "<plist>", "<plist><dict></plist>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><true/></plist><plist>", "<plist><integer>x</integer></plist>", "<!--",
        "<plist><string>&who;</string></plist>", "<plist><real>inf</real></plist>",
        "<plist><string>a</key></plist>", "<plist><dict/></plist>x", "<?xml",
        "<plist>" + String(repeating: "<array>", count: 100_000),
    ])
    func `what is not quite a property list is refused`(_ text: String) {
        #expect(throws: PolicyError.notAPropertyList) { try decode(text) }
    }

    /// Written by Python's plistlib.
    private static let binary = """
        YnBsaXN0MDDSAQIDBFxDRkJ1bmRsZU5hbWVfEBFJbnR1bmVNQU1TZXR0aW5nc1VOb3Rlc9UFBgcICQoNDjAxXxAT
        QXBwR3JvdXBJZGVudGlmaWVyc18QEExvY2tHcmFjZVNlY29uZHNUTWluZV1NdWx0aUlkZW50aXR5XlNwbGFzaER1
        cmF0aW9uogsMU29uZVAQB9cPEBESExQVFhcYGRouL1RkYXRhVGRhdGVVbGFyZ2VUbGVzc1RtYW55Um5vVHRleHRD
        AQIDM0HH1CHUgAAAEwAAAQAAAAAAE///////////rxAUGxwdHh8gIQ0iIyQlJicoKSorLC0QABABEAIQAxAEEAUQ
        BhAIEAkQChALEAwQDRAOEA8QEBAREBIQEwhkAOQgrNg93gAJIz/4AAAAAAAAAAgADQAaAC4ANAA/AFUAaABtAHsA
        igCNAJEAkgCUAKMAqACtALMAuAC9AMAAxQDJANIA2wDkAPsA/QD/AQEBAwEFAQcBCQELAQ0BDwERARMBFQEXARkB
        GwEdAR8BIQEiASsBLAAAAAAAAAIBAAAAAAAAADIAAAAAAAAAAAAAAAAAAAE1
        """

    @Test func `a build's property list is binary, and says the same`() throws {
        let list = try #require(bytes(base64: Self.binary.filter { !$0.isWhitespace }))
        let settings = try Settings.decode(list)
        #expect(settings.multiIdentity)
        #expect(settings.lockGraceSeconds == 7)
        #expect(settings.stored["SplashDuration"] == .number(1.5))
        #expect(settings.stored["AppGroupIdentifiers"] == ["one", ""])
        #expect(
            settings.unknown["Mine"] == [
                "data": "AQID", "date": "2026-05-04T03:02:01Z", "large": .integer(1 << 40),
                "less": -1, "many": .array((0..<20).map { .integer($0) }), "no": false,
                "text": "ä€😀",
            ])
        for count in 0..<list.count {
            #expect(throws: PolicyError.self) { try Settings.decode(Array(list[..<count])) }
        }
        var state: UInt64 = 1
        for place in list.indices.dropFirst(8) {
            var changed = list
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            changed[place] ^= UInt8(truncatingIfNeeded: state >> 33) | 1
            _ = try? Settings.decode(changed)
        }
    }

    /// Each list has the next one twice, the last one is text.
    private func unfolding(_ levels: Int, text: Int = 1) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for level in 0..<levels {
            offsets.append(bytes.count)
            bytes += [0xA2, UInt8(level + 1), UInt8(level + 1)]
        }
        offsets.append(bytes.count)
        bytes += [0x5F, 0x12] + (0..<4).map { UInt8(truncatingIfNeeded: text >> (24 - 8 * $0)) }
        bytes += [UInt8](repeating: UInt8(ascii: "x"), count: text)
        let table = bytes.count
        func number(_ value: Int) -> [UInt8] {
            (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        }
        bytes += offsets.flatMap(number) + [0, 0, 0, 0, 0, 0, 8, 1]
        return bytes + number(offsets.count) + number(0) + number(table)
    }

    @Test func `a binary property list unfolds to so much and no more`() throws {
        let error = PolicyError.notABinaryPropertyList
        let pair: JSONValue = [["x", "x"], ["x", "x"]]
        #expect(try JSONValue(document: unfolding(3)) == [pair, pair])
        #expect(throws: error) { try JSONValue(document: unfolding(30)) }
        #expect(throws: error) { try JSONValue(document: unfolding(33)) }
        #expect(throws: error) { try JSONValue(document: unfolding(4, text: 1 << 17)) }
        // One that is its own member.
        var endless = unfolding(1)
        endless[9] = 0
        #expect(throws: error) { try JSONValue(document: endless) }
    }

    @Test func `a key that a binary property list has twice is refused by name`() {
        let start = Array("bplist00".utf8)
        // At 8 the dictionary of two keys, both the text at 13; then true, and false.
        let objects: [UInt8] = [0xD2, 1, 1, 2, 3, 0x51, UInt8(ascii: "a"), 0x09, 0x08]
        let table: [UInt8] = [8, 13, 15, 16]
        let sizes: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
        func number(_ value: UInt8) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, value] }
        let end = sizes + number(4) + number(0) + number(17)
        #expect(throws: PolicyError.twice(key: "a", line: nil)) {
            try JSONValue(document: start + objects + table + end)
        }
    }

    @Test func `each setting that is only kept has a name of its own and says what it is`() {
        #expect(Set(KeptSetting.all.map(\.name)).count == KeptSetting.all.count)
        #expect(KeptSetting.all.allSatisfy { $0.meaning.hasSuffix(".") })
    }

    private func decode(_ text: String) throws(PolicyError) -> Settings {
        try Settings.decode(Array(text.utf8))
    }
}
