import CShims
import Glibc
import MAMIdentity
import MAMLocks
import MAMModel
import MAMSystem
import MAMVault
import MAMWorkspace
import TestSupport
import Testing
import WorkspaceSupport

@Suite(.serialized)
struct IdentityTests {
    let identities = ProcessIdentities()
    let own: ProcessLife
    let ann: Identity
    let personal: Identity

    init() throws {
        own = try #require(ProcessStatus(of: getpid())).life
        ann = try Identity(name: "ann@contoso.com")
        personal = try Identity(name: "ann@home.example")
    }

    /// A child that waits until it is ended.
    private final class Child {
        let id: Int32
        init() throws { id = try spawn(["sleep", "60"].map { ByteString($0) }) }
        deinit {
            kill(id, SIGKILL)
            _ = try? wait(for: id)
        }
    }

    private func name(of process: Int32) -> String? {
        identities.found(forThread: process)?.identity.name
    }

    @Test
    func `a child keeps what its parent had when it was forked, however fast the parent goes on`()
        throws
    {
        let before = try Child()
        #expect(identities.set(ann, by: 0, for: own))
        let first = try Child()
        #expect(identities.set(personal, by: 0, for: own))
        let second = try Child()
        #expect(identities.set(nil, by: 0, for: own))
        let third = try Child()
        #expect(name(of: before.id) == nil)
        #expect(name(of: first.id) == "ann@contoso.com")
        #expect(name(of: second.id) == "ann@home.example")
        #expect(name(of: third.id) == nil)
        #expect(name(of: own.id) == nil)
        withExtendedLifetime((before, first, second, third)) {}
    }

    @Test func `what was found out stays, be it nothing, and is no younger child's`() throws {
        let stranger = try Child()
        let life = try #require(ProcessStatus(of: stranger.id)).life
        #expect(identities.set(personal, by: 0, for: life))
        let before = try Child()
        for _ in 0..<2 { #expect(name(of: before.id) == nil) }
        #expect(identities.set(ann, by: 0, for: own))
        let after = try Child()
        for identity in [personal, nil] {
            #expect(name(of: before.id) == nil)
            #expect(name(of: after.id) == "ann@contoso.com")
            #expect(identities.set(identity, by: 0, for: own))
        }
        identities.forget(ann)
        #expect(name(of: before.id) == nil)
        #expect(name(of: after.id)?.isEmpty == true)
        withExtendedLifetime((stranger, before, after)) {}
    }

    @Test func `so many threads of a process have identities`() throws {
        let connection = ConnectionID()
        let (go, done) = (Semaphore(), Semaphore())
        let threads = Guarded<[Int32]>([])
        for _ in 0..<300 {
            try startThread(named: "identity") {
                threads.withLock { $0.append(mam_thread_id()) }
                done.signal()
                go.wait()
            }
        }
        for _ in 0..<300 { done.wait() }
        let set = threads.withLock { $0 }.count {
            identities.set(ann, by: 1, forThread: $0, of: own, until: connection)
        }
        #expect(set == 256)
        #expect(!identities.hasRoom(for: 1, threadOf: own))
        #expect(identities.hasRoom(for: 1))
        identities.end(connection)
        #expect(identities.hasRoom(for: 1, threadOf: own))
        for _ in 0..<300 { go.signal() }
    }

    @Test func `what a trusted program starts is trusted, and a wipe widens nothing`() throws {
        #expect(identities.set(ann, by: 0, for: own, standing: .trusted(.ownAccount)))
        let child = try Child()
        #expect(identities.found(forThread: child.id)?.standing == .trusted(.ownAccount))
        identities.forget(ann)
        for process in [child.id, own.id] {
            let found = try #require(identities.found(forThread: process))
            #expect(found.identity.isNobody && found.standing == .trusted(.ownAccount))
        }
        // Whoever takes another identity gives it up.
        #expect(identities.set(personal, by: 0, for: own))
        #expect(identities.found(forThread: own.id)?.standing == .ordinary)
        withExtendedLifetime(child) {}
    }

    @Test func `nobody is set like any other, nil falls through to what was inherited`() throws {
        #expect(identities.set(ann, by: 0, for: own))
        let child = try Child()
        let life = try #require(ProcessStatus(of: child.id)).life
        #expect(identities.set(.nobody, by: 0, for: life))
        #expect(name(of: child.id)?.isEmpty == true)
        #expect(identities.set(personal, by: 0, for: own))
        #expect(identities.set(nil, by: 0, for: life))
        #expect(name(of: child.id) == "ann@contoso.com")
        withExtendedLifetime(child) {}
    }

    @Test func `the source tells where an identity comes from`() throws {
        #expect(identities.found(forThread: getpid()) == nil)
        #expect(identities.set(ann, by: 0, for: own))
        let child = try Child()
        #expect(identities.found(forThread: child.id)?.source == .process(getpid()))
        #expect(
            identities.set(personal, by: 0, forThread: getpid(), of: own, until: ConnectionID()))
        #expect(identities.found(forThread: getpid())?.source == .thread)
        #expect(identities.found(forThread: child.id)?.source == .process(getpid()))
        withExtendedLifetime(child) {}
    }

    @Test
    func `a thread's identity comes first, is the thread's alone, and ends with its connection`()
        throws
    {
        let connection = ConnectionID()
        #expect(identities.set(ann, by: 0, for: own))
        let thread = mam_thread_id()
        #expect(identities.set(personal, by: 0, forThread: thread, of: own, until: connection))
        #expect(name(of: thread) == "ann@home.example")
        #expect(thread == getpid() || name(of: getpid()) == "ann@contoso.com")
        identities.end(ConnectionID())
        #expect(name(of: thread) == "ann@home.example")
        identities.end(connection)
        #expect(name(of: thread) == "ann@contoso.com")
    }

    @Test func `a thread of another process is refused, and so is a life that has ended`() throws {
        let child = try Child()
        let connection = ConnectionID()
        #expect(!identities.set(ann, by: 0, forThread: child.id, of: own, until: connection))
        let earlier = ProcessLife(id: own.id, startTime: own.startTime - 1)
        #expect(!identities.set(ann, by: 0, forThread: getpid(), of: earlier, until: connection))
        #expect(!identities.set(ann, by: 0, for: earlier))
        #expect(identities.found(forThread: getpid()) == nil)
        withExtendedLifetime(child) {}
    }

    @Test
    func `what a connection scoped ends with it; children keep it, and later settings stay`() throws
    {
        let connection = ConnectionID()
        #expect(identities.set(ann, by: 0, for: own, until: connection))
        let child = try Child()
        identities.end(connection)
        #expect(name(of: getpid()) == nil)
        #expect(name(of: child.id) == "ann@contoso.com")
        #expect(identities.set(ann, by: 0, for: own, until: connection))
        #expect(identities.set(personal, by: 0, for: own))
        identities.end(connection)
        #expect(name(of: getpid()) == "ann@home.example")
        withExtendedLifetime(child) {}
    }
}

@Suite struct SwitchTests {
    private let session = LoginSession(of: getpid(), user: 1000)

    private func result(
        _ test: TestVault, _ identity: Identity?, _ passphrase: String? = nil
    ) -> SwitchResult {
        Switch(test.tree).switchSession(
            session, to: identity.map { [$0] }, thread: getpid(),
            passphrase: passphrase.map(secret)
        ).result
    }

    @Test func `a blocked account fails, whatever the passphrase`() throws {
        let test = try TestVault()
        let ann = try TestVault.annIdentity()
        test.serve()
        _ = Block(test.tree).block(test.ann, AccountBlock(.launch, "the device is too old"))
        #expect(result(test, ann, "secret") == .failed)
        #expect(test.vault.sessions.identities(of: session) == nil)
        try Block(test.tree).unblock(test.ann)
        #expect(result(test, ann) == .canceled)
        #expect(test.vault.sessions.canceled(in: session) == [test.ann])
        #expect(result(test, ann, "secret") == .success)
        #expect(test.vault.sessions.canceled(in: session).isEmpty)
    }

    @Test func `a wiped account is nobody's on the screen too`() throws {
        let test = try TestVault()
        #expect(result(test, try TestVault.annIdentity()) == .success)
        test.serve()
        _ = try test.wipe()
        #expect(test.vault.sessions.identities(of: session)?.isEmpty == true)
    }

    @Test func `one user's many sessions push out none of another's`() throws {
        let test = try TestVault()
        let ann = try TestVault.annIdentity()
        #expect(result(test, ann) == .success)
        for user: UInt32 in 5000..<5200 {
            let other = LoginSession(of: getpid(), user: user)
            _ = Switch(test.tree).switchSession(other, to: [], thread: getpid())
        }
        #expect(test.vault.sessions.identities(of: session)?.map(\.name) == ["ann@contoso.com"])
    }
}
