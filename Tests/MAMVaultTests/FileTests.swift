import Glibc
import MAMFormat
import MAMIdentity
import MAMModel
import MAMSystem
import MAMVault
import MAMWorkspace
import Testing
import WorkspaceSupport

@Suite struct FileTests {
    @Test func `a managed owner's file is encrypted in policy's class, another's is not`() throws {
        let test = try TestVault("whenDeviceLockedExceptOpenFiles")
        let managed = try test.makeFile(
            "m", owner: try Identity(name: "ANN@contoso.com"), "secret text")
        let plain = try test.makeFile(
            "p", owner: try Identity(name: "me@example.org"), "plain text")
        #expect(managed.header?.sealing?.protectionClass == .completeUnlessOpen)
        #expect(managed.owner.name == "ann@contoso.com")
        #expect(plain.header?.isManaged == false)
        let info = Protections(test.vault).protection(of: managed.facts)
        #expect(info.state == .available && info.fileClass == .completeUnlessOpen)
        Lock(test.tree).lock(test.ann, now: true)
        #expect(Protections(test.vault).protection(of: managed.facts).state == .closed)
        #expect(Protections(test.vault).protection(of: plain.facts).state == .unmanaged)
    }

    @Test(arguments: [true, false])
    func `without an identity, single-identity mode creates for the user's account`(
        multiIdentity: Bool
    ) throws {
        let test = try TestVault(multiIdentity: multiIdentity)
        let identity = Callers(test.vault).identity(ofThread: 0, user: 1000)
        #expect(identity.isNobody == multiIdentity)
        #expect(Callers(test.vault).identity(ofThread: 0, user: 1234).isNobody)
    }

    @Test func `a process's identity beats its user's default, also when it is nobody`() throws {
        let test = try TestVault()
        let own = try #require(ProcessStatus(of: getpid())).life
        #expect(test.vault.identities.set(.nobody, by: 0, for: own))
        #expect(Callers(test.vault).identity(ofThread: getpid(), user: 1000).isNobody)
        #expect(test.vault.identities.set(nil, by: 0, for: own))
        #expect(
            Callers(test.vault).identity(ofThread: getpid(), user: 1000).name == "ann@contoso.com")
        let earlier = ProcessLife(id: own.id, startTime: own.startTime - 1)
        #expect(!test.vault.identities.set(.nobody, by: 0, for: earlier))
    }

    @Test
    func `a name that was another user's account only after it was set is passed over`() throws {
        let test = try TestVault(multiIdentity: true)
        let own = try #require(ProcessStatus(of: getpid())).life
        let bob = try Identity(name: "bob@contoso.com")
        #expect(test.vault.identities.set(bob, by: 54321, for: own))
        #expect(Callers(test.vault).identity(ofThread: getpid(), user: 54321).name == bob.name)
        _ = try Registration(test.tree).register(bob, user: 1001, passphrase: nil)
        #expect(Callers(test.vault).identity(ofThread: getpid(), user: 54321).isNobody)
        let stranger = Callers(test.vault).found(forThread: 0, user: 54321)
        #expect(Callers(test.vault).owner(by: stranger, orOf: { bob }).isNobody)
        // Its registrant's own choice, and root's, count for whatever user the process is by now.
        for giver: UInt32 in [1001, 0] {
            #expect(test.vault.identities.set(bob, by: giver, for: own))
            #expect(Callers(test.vault).identity(ofThread: getpid(), user: 54321).name == bob.name)
        }
        #expect(test.vault.identities.set(nil, by: 0, for: own))
    }

    @Test(arguments: [0, 1, 3041, 3_000_000])
    func `encrypting and decrypting between descriptors gives the same bytes`(size: Int) throws {
        let test = try TestVault()
        let plain = try test.descriptor("plain")
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try bytes.withUnsafeBytes { try writeFully(plain.raw, from: $0, at: 0) }
        let sealed = try test.descriptor("sealed")
        #expect(
            try Converter(test.vault).encrypt(plain, for: TestVault.annIdentity(), into: sealed)
                == Int64(size)
        )
        let again = try test.descriptor("again")
        #expect(try Converter(test.vault).decrypt(sealed, into: .file(again)) == Int64(size))
        #expect(try readSmallFile("\(test.path)/again", maximumByteCount: 4 << 20) == bytes)
    }

    @Test
    func `decrypting refuses a file that was cut, and encrypting a destination that is not empty`()
        throws
    {
        let test = try TestVault()
        _ = try test.makeFile(
            "f", owner: try TestVault.annIdentity(), String(repeating: "x", count: 5000))
        let cut = try test.descriptor("f")
        try setSize(cut.raw, 4096)
        #expect(throws: VaultError.self) {
            try Converter(test.vault).decrypt(cut, into: .file(test.descriptor("out")))
        }
        let full = try test.makeFile("full", owner: .nobody, "x")
        _ = full
        #expect(throws: VaultError.self) {
            try Converter(test.vault).encrypt(
                test.descriptor("out"), for: TestVault.annIdentity(), into: test.descriptor("full"))
        }
        #expect(throws: VaultError.self) {
            try Converter(test.vault).encrypt(
                test.descriptor("out"), for: Identity(name: "nobody@here"),
                into: test.descriptor("out2"))
        }
    }

    @Test
    func `a managed file moves to another account with its content and out of the old lock`() throws
    {
        let test = try TestVault()
        let bob = try Identity(name: "bob@fabrikam.com")
        _ = try Registration(test.tree).register(bob, user: 1001, passphrase: nil)
        let file = try test.makeFile("f", owner: try TestVault.annIdentity(), "content")
        try FileClasses(test.vault).retag(file, bob)
        #expect(file.owner.name == "bob@fabrikam.com")
        Lock(test.tree).lock(test.ann, now: true)
        #expect(try file.text() == "content")
        #expect(try test.openExisting("f").text() == "content")
    }

    @Test func `a file of an account that is not here is named so, and not called locked`() throws {
        let first = try TestVault()
        _ = try first.makeFile("f", owner: try TestVault.annIdentity(), "x")
        let second = try TestVault()
        let file = try Files(second.vault).file(first.descriptor("f"))
        #expect(Protections(second.vault).protection(of: file.facts).state == .keyMissing)
        do {
            try Files(second.vault).admit(file)
            Issue.record("it was opened")
        } catch {
            guard case .keyMissing = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
