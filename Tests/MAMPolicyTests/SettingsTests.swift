import MAMModel
import MAMPolicy
import Testing

@Suite struct SettingsTests {
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
    ])
    func `a wrong value is an error that names its key`(_ text: String) throws {
        let error = #expect(throws: PolicyError.self) { try decode(text) }
        guard case .value(let key, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains(key))
    }

    @Test(arguments: ["", "[]", "7", "{\"MultiIdentity\": tru}"])
    func `what is not an object is refused`(_ text: String) {
        #expect(throws: PolicyError.self) { try decode(text) }
    }

    @Test func `an hour of grace is the most`() throws {
        #expect(try decode("{\"LockGraceSeconds\": 3600}").lockGraceSeconds == 3600)
    }

    private func decode(_ text: String) throws(PolicyError) -> Settings {
        try Settings.decode(Array(text.utf8))
    }
}
