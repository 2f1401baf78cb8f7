import Glibc
import MAMCrypto
import MAMKeyring
import MAMModel
import MAMSystem
import Testing

@Suite(.serialized) struct DeviceSecretTests {
    @Test func `the first start makes a secret that stays`() throws {
        let state = try TestState()
        let one = try DeviceSecret.load(in: state.directory.raw, mayCreate: true)
        let two = try DeviceSecret.load(in: state.directory.raw, mayCreate: true)
        #expect(one.equals(two))
        #expect(try status(at: state.directory.raw, "device-secret").st_mode & 0o7777 == 0o600)
        #expect(try state.names(in: ".") == ["device-secret"])
        let other = try TestState()
        #expect(!one.equals(try DeviceSecret.load(in: other.directory.raw, mayCreate: true)))
    }

    @Test func `a credential counts instead, and is not written`() throws {
        let state = try TestState()
        let credential = SecretBytes.random(count: 32)
        let loaded = try DeviceSecret.load(
            in: state.directory.raw, mayCreate: true, credential: credential)
        #expect(loaded.equals(credential))
        #expect(try state.names(in: ".").isEmpty)
        // Keybags are there already: it is no new secret.
        #expect(
            try DeviceSecret.load(
                in: state.directory.raw, mayCreate: false, credential: credential
            ).equals(credential))
    }

    @Test func `another one in the state directory is refused, the same one is not`() throws {
        let state = try TestState()
        let stored = try DeviceSecret.load(in: state.directory.raw, mayCreate: true)
        #expect(
            try DeviceSecret.load(in: state.directory.raw, mayCreate: true, credential: stored)
                .equals(stored))
        #expect(throws: DeviceSecretError.credentialDiffers) {
            try DeviceSecret.load(
                in: state.directory.raw, mayCreate: true,
                credential: SecretBytes.random(count: 32))
        }
    }

    @Test(arguments: [0o640, 0o604, 0o601, 0o660, 0o777] as [mode_t])
    func `one that others may use is refused with the remedy`(_ mode: mode_t) throws {
        let state = try TestState()
        _ = try state.start()
        chmod("\(state.path)/device-secret", mode)
        let error = #expect(throws: KeyringError.self) { try state.start() }
        #expect(error == .deviceSecret(.readableByOthers(mode: mode)))
        let text = error.map { "\($0)" } ?? ""
        #expect(text.contains("device-secret") && text.contains("chmod 600"))
    }

    @Test(arguments: [0, 1, 31, 33, 4096])
    func `one of another size is refused and left alone`(_ count: Int) throws {
        let state = try TestState()
        let bytes = [UInt8](repeating: 7, count: count)
        try state.write("device-secret", bytes)
        #expect(throws: KeyringError.deviceSecret(.wrongByteCount(Int64(count)))) {
            try state.start()
        }
        #expect(try state.read("device-secret") == bytes)
    }

    @Test func `a link or a directory in its place is refused`() throws {
        let state = try TestState()
        try state.write("elsewhere", [UInt8](repeating: 7, count: 32))
        symlink("elsewhere", "\(state.path)/device-secret")
        #expect(throws: KeyringError.deviceSecret(.system(.tooManyLinks))) { try state.start() }
        state.remove("device-secret")
        mkdir("\(state.path)/device-secret", 0o700)
        #expect(throws: KeyringError.deviceSecret(.system(.invalid))) { try state.start() }
        rmdir("\(state.path)/device-secret")
    }

    @Test func `one that is lost is not made anew over keybags that need it`() throws {
        let state = try TestState()
        _ = try state.start().registerAnn()
        state.remove("device-secret")
        #expect(throws: KeyringError.deviceSecret(.missing)) { try state.start() }
        #expect(try !state.names(in: ".").contains("device-secret"))
    }

    @Test func `what a crash leaves of its making is removed and the secret stays`() throws {
        let state = try TestState()
        _ = try state.start()
        let secret = try state.read("device-secret")
        // A second name of the secret itself, and one that never got its own.
        link("\(state.path)/device-secret", "\(state.path)/.device-secret.7.new")
        try state.write(".device-secret.8.new", [1, 2, 3])
        _ = try state.start()
        #expect(try state.read("device-secret") == secret)
        #expect(
            try state.names(in: ".") == [
                "attempts", "device-secret", "keybags", "passphrases", "resets", "wipes",
            ])
    }

    /// Five directories, the secret's file and its name; and on each start the whole, for what is
    /// there may have been made by one that was killed before it synced.
    @Test(arguments: [(true, 8), (false, 1)])
    func `no start serves before what leads to the keybags is durable`(
        _ isFirst: Bool, _ expected: Int
    ) throws {
        var failures = 0
        for nth in 1...10 {
            let state = try TestState()
            if !isFirst { _ = try state.start().registerAnn() }
            try FaultPlan.run(.sync, nth: nth, times: 1) {
                do { _ = try state.start() } catch { failures += 1 }
            }
            _ = try state.start()
        }
        #expect(failures == expected)
    }

    @Test(arguments: 1...4) func `a start that fails leaves none or a whole one`(_ nth: Int) throws
    {
        let state = try TestState()
        try FaultPlan.run(.any, nth: nth) {
            #expect(throws: DeviceSecretError.self) {
                try DeviceSecret.load(in: state.directory.raw, mayCreate: true)
            }
        }
        let after = try DeviceSecret.load(in: state.directory.raw, mayCreate: true)
        #expect(after.count == 32)
        #expect(try state.names(in: ".") == ["device-secret"])
    }
}
