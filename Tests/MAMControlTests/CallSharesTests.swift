import Glibc
import MAMModel
import MAMSystem
import MAMWire
import Synchronization
import Testing

@testable import MAMControl

@Suite struct CallSharesTests {
    private static let user: UInt32 = 4711

    private final class Watched: Sendable {
        let entered = Semaphore()
        let isSignaled = Atomic(false)
        let ended = Semaphore()
        let early = Atomic(0)
    }

    @Test func `calls that wait for another call of their user leave it a share`() throws {
        let shares = CallShares()
        let wakeUp = try WakeUpDescriptor()
        let watched = Watched()
        let count = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)) / 2)
        for _ in 0..<count {
            try startThread(named: "waiting") {
                try? shares.run(.short, Self.call()) { call in
                    watched.entered.signal()
                    _ = call.wait(for: wakeUp.descriptor, atMostSeconds: 20)
                    let isEarly = !watched.isSignaled.load(ordering: .sequentiallyConsistent)
                    if isEarly { watched.early.add(1, ordering: .sequentiallyConsistent) }
                }
                watched.ended.signal()
            }
        }
        for _ in 0..<count { watched.entered.wait() }
        try shares.run(.short, Self.call()) { _ in
            watched.isSignaled.store(true, ordering: .sequentiallyConsistent)
            wakeUp.signal()
        }
        for _ in 0..<count { watched.ended.wait() }
        #expect(watched.early.load(ordering: .sequentiallyConsistent) == 0)
    }

    private static func call() -> VarlinkCall {
        VarlinkCall(
            method: "Any", parameters: Parameters([:]), peer: Peer(gone: 0, uid: user, gid: user))
    }
}
