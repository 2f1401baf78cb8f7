import MAMModel
import MAMSystem
import Testing

@testable import MAMControl

@Suite struct AcceptQueueTests {
    private func socket() throws -> Descriptor { try openFile("/dev/null", 0) }

    @Test func `each user has its turn, however many another has made before`() throws {
        let queue = AcceptQueue()
        for user: UInt32 in [1000, 1000, 1000, 1001, 1000, 1002] {
            queue.add(try socket(), of: user)
        }
        let order = (0..<6).map { _ in queue.next()?.user }
        #expect(order == [1000, 1001, 1002, 1000, 1000, 1000])
    }

    @Test func `who connects faster than it is served is sent away, and nobody else`() throws {
        let queue = AcceptQueue()
        for _ in 0..<100 { queue.add(try socket(), of: 1000) }
        queue.add(try socket(), of: 1001)
        for _ in 0..<65 { #expect(queue.next() != nil) }
        queue.close()
        #expect(queue.next() == nil)
    }
}
