import MAMCrypto
import MAMKeyring
import MAMModel
import Testing

@Suite struct MarkingKeyTests {
    @Test func `each workspace and each device has its own, over restarts`() throws {
        let state = try TestState()
        let id = Bytes16(high: 1, low: 2)
        let key = try #require(try state.start().markingKey(of: id))
        #expect(key.equals(try #require(try state.start().markingKey(of: id))))
        let swapped = Bytes16(high: 2, low: 1)
        #expect(!key.equals(try #require(try state.start().markingKey(of: swapped))))
        #expect(!key.equals(try #require(try TestState().start().markingKey(of: id))))
    }
}
