import Glibc
import MAMFormat
import MAMLocks
import MAMModel
import MAMStore
import MAMSystem
import MAMTree
import MAMVault
import TestSupport
import Testing
import WorkspaceSupport

@testable import MAMWorkspace

private let whole = pattern(20_000)

/// Ends that a crash left unfinished, mended as files are looked up and by the thread that comes by
/// all of them.
@Suite struct RecoverTests {
    private let it: TestWorkspace

    init() throws {
        it = try TestWorkspace()
        for name in ["grown", "torn"] { try it.makeFile(name, whole) }
        // A size that was durable before its data; and data that was not durable before its size.
        #expect(truncate(it.places.path("grown"), 60_000) == 0)
        #expect(truncate(it.places.path("torn"), off_t(torn.physicalSize)) == 0)
    }

    private let torn = Extent(blockCount: 3, lastBlockUse: 9)

    private func tornContent() -> [UInt8] { Array(whole[..<Int(torn.plainSize)]) }

    /// Another daemon, after this one was killed.
    private func restart(isReadOnly: Bool = false) throws -> TestWorkspace {
        let again = try TestWorkspace(in: it.places) { $0.isReadOnly = isReadOnly }
        again.vault.openFiles.uncertainEnds.beginWithAll()
        return again
    }

    @Test func `after a clean end nothing is mended, and nothing wrong is shown`() throws {
        for name in ["grown", "torn"] {
            let before = try it.places.stored(name)
            #expect(refusal { _ = try it.content(name) } == .badMessage)
            #expect(try it.places.stored(name) == before)
        }
    }

    @Test func `all files are mended, and from then on an end that is wrong is damage`() throws {
        let again = try restart()
        #expect(Recover(again.tree).recoverAll()?.isEmpty == true)
        #expect(try again.verify().isEmpty)
        #expect(try again.content("grown") == whole)
        #expect(try again.content("torn") == tornContent())
        #expect(!again.vault.openFiles.uncertainEnds.areLeft)
        #expect(truncate(again.places.path("grown"), 60_000) == 0)
        #expect(refusal { _ = try again.content("grown") } == .badMessage)
    }

    @Test func `the kernel is not told of a size that is to be mended`() throws {
        let again = try restart()
        let sizes = try ["grown", "torn"].map { name in
            try again.withEntry(name) { $0.entry.attributes.st_size }
        }
        #expect(sizes == [20_000, Int(torn.plainSize)])
        #expect(try again.content("torn") == tornContent())
    }

    @Test func `what takes the key is mended when that comes, as another inode`() throws {
        let again = try restart()
        Lock(again.tree).lock(again.ann, now: true)
        let waiting = try #require(Recover(again.tree).recoverAll())
        // Zeros go without the key; of each key one header is enough.
        #expect(waiting.count == 1 && again.vault.openFiles.uncertainEnds.areLeft)
        let known = try again.withEntry("torn") { $0.entry.inode.node }
        let tree = again.tree
        let isMended = Guarded<Bool?>(nil)
        let ended = MAMSystem.Semaphore()
        try startThread(named: "recovery") {
            let result = Recover(tree).recover(waiting: waiting)
            isMended.withLock { $0 = result }
            ended.signal()
        }
        try Unlock(again.tree).unlock(again.ann, passphrase: secret(TestWorkspace.passphrase))
        #expect(ended.wait(until: .patient))
        let result = isMended.withLock { $0 }
        #expect(result == true && !again.vault.openFiles.uncertainEnds.areLeft && known > 0)
        #expect(try again.verify().isEmpty)
        #expect(try again.content("torn") == tornContent())
    }

    @Test func `who waits for a key ends with the daemon`() throws {
        let again = try restart()
        Lock(again.tree).lock(again.ann, now: true)
        let waiting = try #require(Recover(again.tree).recoverAll())
        let (tree, ended) = (again.tree, MAMSystem.Semaphore())
        let isMended = Guarded(true)
        try startThread(named: "recovery") {
            let result = Recover(tree).recover(waiting: waiting)
            isMended.withLock { $0 = result }
            ended.signal()
        }
        again.tree.beginStopping()
        #expect(ended.wait(until: .patient))
        let result = isMended.withLock { $0 }
        #expect(!result)
    }

    @Test func `a tree that is read-only stays as it is`() throws {
        let before = try ["grown", "torn"].map { try it.places.stored($0) }
        let again = try restart(isReadOnly: true)
        _ = try again.withEntry("grown") { $0.entry.attributes }
        _ = try again.content("torn")
        Recover(again.tree).removeLeftovers()
        #expect(try ["grown", "torn"].map { try it.places.stored($0) } == before)
    }
}
