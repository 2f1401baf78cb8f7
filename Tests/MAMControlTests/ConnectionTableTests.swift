import Glibc
import MAMModel
import MAMSystem
import Testing

@testable import MAMControl

@Suite struct ConnectionTableTests {
    private let table: ConnectionTable

    init() {
        var limits = VarlinkServer.Limits()
        (limits.connections, limits.connectionsPerUser, limits.connectionsOfUsers) = (8, 5, 6)
        table = ConnectionTable(limits: limits)
    }

    /// A connection's key, and the client's end: it reads the end of the stream once the other one
    /// is shut down.
    private func add(_ uid: UInt32) throws -> (key: Int, client: Descriptor)? {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (server, client) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
        return table.add(server, of: uid).map { ($0, client) }
    }

    private func isCut(_ client: Descriptor) -> Bool {
        var byte: UInt8 = 0
        return recv(client.raw, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }

    @Test func `a user has its share and no more`() throws {
        let all = try (0..<5).map { _ in try #require(try add(1000)) }
        #expect(try add(1000) == nil)
        table.remove(all[0].key)
        #expect(try add(1000) != nil)
    }

    @Test func `a full table drops the longest idle connection of the greediest user`() throws {
        let greedy = try (0..<4).map { _ in try #require(try add(1000)) }
        let modest = try (0..<2).map { _ in try #require(try add(1001)) }
        table.note(greedy[0].key, isBusy: true)
        table.note(greedy[1].key, isBusy: true)
        table.note(greedy[1].key, isBusy: false)
        let newcomer = try #require(try add(1002))
        #expect(greedy.map { isCut($0.client) } == [false, false, true, false])
        #expect(modest.allSatisfy { !isCut($0.client) } && !isCut(newcomer.client))
    }

    @Test
    func `endless calls keep nobody out, and a cut connection counts until it has left`() throws {
        let greedy = try (0..<5).map { _ in try #require(try add(1000)) }
        for connection in greedy { table.note(connection.key, isBusy: true) }
        _ = try #require(try add(1001))
        _ = try #require(try add(1002))
        #expect(isCut(greedy[0].client))
        #expect(try add(1000) == nil)
    }

    @Test func `who has as many as any other costs nobody one`() throws {
        for uid in 0..<6 { _ = try #require(try add(2000 + UInt32(uid))) }
        #expect(try add(2000) == nil)
        #expect(try add(3000) != nil)
    }

    @Test
    func `idle clients of many users leave some room for root, and none of root's is cut`() throws {
        let first = try (0..<4).map { _ in try #require(try add(1000)) }
        _ = try #require(try add(1001))
        _ = try #require(try add(1002))
        let roots = try (0..<2).map { _ in try #require(try add(0)) }
        #expect(!isCut(first[0].client))
        _ = try #require(try add(0))
        #expect(isCut(first[0].client) && roots.allSatisfy { !isCut($0.client) })
    }
}
