import Glibc
import MAMLocks
import MAMModel
import MAMSystem
import MAMTree
import Testing
import WorkspaceSupport

/// Modes of files that one thread makes for several callers, and for the daemon.
@Suite struct CallerTests {
    private let places: TestDirectories

    init() throws { places = try TestDirectories() }

    private func make(_ name: String, _ mode: mode_t) throws(Errno) -> mode_t {
        let flags = O_WRONLY | O_CREAT | O_EXCL
        let file = try openFile(places.backing + "/" + name, flags, mode: mode)
        return try status(of: file.raw).st_mode & 0o7777
    }

    private func make(_ name: String, by umask: UInt32) throws(Errno) -> mode_t {
        let caller = Caller(thread: 1, user: geteuid(), group: getegid(), umask: umask)
        return try caller.creating { () throws(Errno) in try make(name, 0o666) }
    }

    /// On a thread of its own, whose umask is the process's until the first creation.
    @Test func `each caller's umask counts, and none for the daemon's own files`() throws {
        let found = Guarded<[mode_t]>([])
        let isDone = Semaphore()
        try startThread(named: "creator") {
            for (number, umask) in [0o22, 0o22, 0o77, 0o777, 0, 0o27].enumerated() {
                let theirs = try? make("theirs-\(number)", by: UInt32(umask))
                let own = try? make("own-\(number)", 0o600)
                found.withLock { $0 += [theirs ?? .max, own ?? .max] }
            }
            isDone.signal()
        }
        isDone.wait()
        let modes = found.withLock { $0 }
        #expect(
            modes == [
                0o644, 0o600, 0o644, 0o600, 0o600, 0o600, 0, 0o600, 0o666, 0o600, 0o640, 0o600,
            ])
    }
}
