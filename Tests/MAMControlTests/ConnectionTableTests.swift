import MAMSystem
import Testing

@testable import MAMControl

@Suite struct ConnectionTableTests {
    private func socket() throws -> Descriptor { try openFile("/dev/null", 0) }

    @Test func `idle clients of many users leave some room for root`() throws {
        var limits = VarlinkServer.Limits()
        (limits.connections, limits.connectionsPerUser, limits.connectionsOfUsers) = (8, 4, 6)
        let table = ConnectionTable(limits: limits)
        func add(_ uid: UInt32) throws -> Int? {
            table.add(try socket(), of: Peer(pid: 1, uid: uid, gid: 0))
        }
        let first = try (0..<4).map { _ in try #require(try add(1000)) }
        #expect(try add(1000) == nil)
        #expect(try add(1001) != nil)
        #expect(try add(1002) != nil)
        #expect(try add(1003) == nil)
        #expect(try add(0) != nil)
        #expect(try add(0) != nil)
        #expect(try add(0) == nil)
        table.remove(first[0])
        #expect(try add(1003) != nil)
    }
}
