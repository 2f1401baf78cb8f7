import Glibc
import MAMFormat
import MAMModel
import MAMPolicy
import MAMSystem
import MAMTree
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

@Suite("Events, deadlines and classes")
struct EventTests {
    private func kinds(_ subscription: EventSubscription) -> [AccountEvent.Kind] {
        subscription.take().map(\.kind)
    }

    @Test("A lock and an unlock are told once each, and only when they change something")
    func locks() throws {
        let test = try TestVault()
        let subscription = try test.vault.subscribe()
        Lock(test.tree).lock(test.ann, now: true)
        Lock(test.tree).lock(test.ann, now: true)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(
            kinds(subscription) == [
                .willBecomeUnavailable(seconds: 0), .unavailable, .available,
            ])
        #expect(kinds(subscription).isEmpty)
    }

    @Test("A grace period is told with its length, and its end by an unlock")
    func grace() throws {
        let test = try TestVault(grace: 60)
        let subscription = try test.vault.subscribe()
        Lock(test.tree).lock(test.ann, now: false)
        Lock(test.tree).lock(test.ann, now: false)
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        #expect(kinds(subscription) == [.willBecomeUnavailable(seconds: 60), .available])
    }

    @Test("The descriptor is readable from the first event until they are taken")
    func readiness() throws {
        let test = try TestVault(passphrase: nil)
        let subscription = try test.vault.subscribe()
        #expect(!isReadable(subscription.readable))
        Lock(test.tree).lock(test.ann, now: true)
        #expect(isReadable(subscription.readable))
        _ = subscription.take()
        #expect(!isReadable(subscription.readable))
    }

    @Test(
        "Other documents are told to the accounts that they change something for, and to no others")
    func policyChanges() throws {
        let test = try TestVault()
        let subscription = try test.vault.subscribe()
        func book(_ text: String) throws -> PolicyBook {
            PolicyBook(documents: try PolicyDocument.decode(Array(text.utf8)))
        }
        let open = try book(
            #"{"printBlocked": false, "appDataEncryptionType": "whenDeviceLocked"}"#)
        PolicyChange(test.tree).replacePolicies(open)
        _ = subscription.take()
        PolicyChange(test.tree).replacePolicies(open)
        #expect(kinds(subscription).isEmpty)
        PolicyChange(test.tree).replacePolicies(
            try book(#"{"printBlocked": true, "appDataEncryptionType": "whenDeviceLocked"}"#))
        #expect(kinds(subscription) == [.policyChanged])
        PolicyChange(test.tree).replacePolicies(
            try book(#"{"printBlocked": true, "appDataEncryptionType": "afterDeviceRestart"}"#))
        #expect(kinds(subscription) == [.policyChanged, .dataProtectionChanged])
        PolicyChange(test.tree).replacePolicies(
            try book(
                #"""
                [{"printBlocked": true, "appDataEncryptionType": "afterDeviceRestart"},
                {"customSettings": [{"name": "a", "value": "b"}]}]
                """#
            ))
        #expect(kinds(subscription) == [.appConfigurationChanged])
    }

    @Test("A wipe is told as an unenrolment, one that leaves files too", arguments: [false, true])
    func wipes(isStuck: Bool) throws {
        let test = try TestVault()
        _ = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        // In a tree that is read-only nothing can be removed.
        let tree = isStuck ? try test.makeReadOnlyTree() : test.tree
        tree.setServed(true)
        let subscription = try test.vault.subscribe()
        _ = try Wipe(tree).wipe(test.ann, because: TestVault.reason)
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

    @Test("A listener that does not listen keeps the newest 256")
    func overflow() throws {
        let test = try TestVault(passphrase: nil)
        let subscription = try test.vault.subscribe()
        for _ in 0..<100 {
            Lock(test.tree).lock(test.ann, now: true)
            try Unlock(test.tree).unlock(test.ann, passphrase: nil)
        }
        let found = kinds(subscription)
        #expect(found.count == 256)
        #expect(found.last == .available)
    }

    @Test("A class needs both windows, and also when nothing changes that of the file")
    func classes() throws {
        let test = try TestVault("useDeviceSettings")
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "hello")
        #expect(file.header?.sealing?.protectionClass == .completeUntilFirstUserAuthentication)
        try FileClasses(test.vault).setClass(.complete, of: file)
        #expect(file.header?.sealing?.protectionClass == .complete)
        Lock(test.tree).lock(test.ann, now: true)
        #expect(isWindowClosed { try FileClasses(test.vault).setClass(nil, of: file) })
        #expect(isWindowClosed { try FileClasses(test.vault).setClass(.complete, of: file) })
        try Unlock(test.tree).unlock(test.ann, passphrase: secret("secret"))
        try FileClasses(test.vault).setClass(nil, of: file)
        #expect(file.header?.sealing?.protectionClass == .completeUntilFirstUserAuthentication)
        Lock(test.tree).lock(test.ann, now: true)
        #expect(try file.text() == "hello")
        #expect(isWindowClosed { try FileClasses(test.vault).setClass(.complete, of: file) })
        // Less than policy asks for is kept as a wish.
        try FileClasses(test.vault).setClass(.some(.none), of: file)
        #expect(file.header?.sealing?.protectionClass == .completeUntilFirstUserAuthentication)
        #expect(file.header?.sealing?.askedClass == .some(.none))
    }
}
