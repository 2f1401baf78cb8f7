import Glibc
import MAMFormat
import MAMModel
import MAMPolicy
import MAMSystem
import MAMVault
import Testing

@Suite struct EventTests {
    private func kinds(_ subscription: EventSubscription) -> [AccountEvent.Kind] {
        subscription.take().map(\.kind)
    }

    @Test
    func `a lock and an unlock are told once each, and only when they change something`() throws {
        let test = try TestVault()
        let subscription = try test.vault.subscribe()
        test.vault.lock(test.ann, now: true)
        test.vault.lock(test.ann, now: true)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(
            kinds(subscription) == [
                .willBecomeUnavailable(seconds: 0), .unavailable, .available,
            ])
        #expect(kinds(subscription).isEmpty)
    }

    @Test func `a grace period is told with its length, and its end by an unlock`() throws {
        let test = try TestVault(grace: 60)
        let subscription = try test.vault.subscribe()
        test.vault.lock(test.ann, now: false)
        test.vault.lock(test.ann, now: false)
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        #expect(kinds(subscription) == [.willBecomeUnavailable(seconds: 60), .available])
    }

    @Test func `the descriptor is readable from the first event until they are taken`() throws {
        let test = try TestVault(passphrase: nil)
        let subscription = try test.vault.subscribe()
        #expect(!isReadable(subscription.readable))
        test.vault.lock(test.ann, now: true)
        #expect(isReadable(subscription.readable))
        _ = subscription.take()
        #expect(!isReadable(subscription.readable))
    }

    @Test func `a changed document is told only to the accounts that it affects`() throws {
        let test = try TestVault()
        let subscription = try test.vault.subscribe()
        func book(_ text: String) throws -> PolicyBook {
            PolicyBook(documents: try PolicyDocument.decode(Array(text.utf8)))
        }
        let open = try book(
            #"{"printBlocked": false, "appDataEncryptionType": "whenDeviceLocked"}"#)
        test.vault.replacePolicies(open)
        _ = subscription.take()
        test.vault.replacePolicies(open)
        #expect(kinds(subscription).isEmpty)
        test.vault.replacePolicies(
            try book(#"{"printBlocked": true, "appDataEncryptionType": "whenDeviceLocked"}"#))
        #expect(kinds(subscription) == [.policyChanged])
        test.vault.replacePolicies(
            try book(#"{"printBlocked": true, "appDataEncryptionType": "afterDeviceRestart"}"#))
        #expect(kinds(subscription) == [.policyChanged, .dataProtectionChanged])
        test.vault.replacePolicies(
            try book(
                #"[{"printBlocked": true, "appDataEncryptionType": "afterDeviceRestart"}, {"customSettings": [{"name": "a", "value": "b"}]}]"#
            ))
        #expect(kinds(subscription) == [.appConfigurationChanged])
    }

    @Test(arguments: [false, true])
    func `a wipe is told as an unenrolment, one that leaves files too`(isStuck: Bool) throws {
        let test = try TestVault()
        test.vault.setMount(StuckMount(isStuck: { isStuck }))
        let subscription = try test.vault.subscribe()
        _ = try test.wipe()
        let told = subscription.take().filter {
            guard case .enrollment(let enrollment) = $0.kind else { return false }
            return enrollment.request == .unenroll && enrollment.code == (isStuck ? 215 : 104)
        }
        #expect(told.map(\.last?.identity.name) == ["ann@contoso.com"])
    }

    private func isReadable(_ descriptor: Descriptor) -> Bool {
        var waiting = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) == 1
    }

    @Test func `a listener that does not listen keeps the newest 256`() throws {
        let test = try TestVault(passphrase: nil)
        let subscription = try test.vault.subscribe()
        for _ in 0..<100 {
            test.vault.lock(test.ann, now: true)
            try test.vault.unlock(test.ann, passphrase: nil)
        }
        let found = kinds(subscription)
        #expect(found.count == 256)
        #expect(found.last == .available)
    }

    @Test
    func `a class needs both windows, and also when nothing changes that of the file`() throws {
        let test = try TestVault("useDeviceSettings")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        #expect(file.header?.sealing?.protectionClass == .completeUntilFirstUserAuthentication)
        try test.vault.setClass(.complete, of: file)
        #expect(file.header?.sealing?.protectionClass == .complete)
        test.vault.lock(test.ann, now: true)
        #expect(isWindowClosed { try test.vault.setClass(nil, of: file) })
        #expect(isWindowClosed { try test.vault.setClass(.complete, of: file) })
        try test.vault.unlock(test.ann, passphrase: secret("secret"))
        try test.vault.setClass(nil, of: file)
        #expect(file.header?.sealing?.protectionClass == .completeUntilFirstUserAuthentication)
        test.vault.lock(test.ann, now: true)
        #expect(try file.text() == "hello")
        #expect(isWindowClosed { try test.vault.setClass(.complete, of: file) })
        // Less than policy asks for is kept as a wish.
        try test.vault.setClass(.some(.none), of: file)
        #expect(file.header?.sealing?.protectionClass == .completeUntilFirstUserAuthentication)
        #expect(file.header?.sealing?.askedClass == .some(.none))
    }
}
