import MAMSystem
import Testing

/// Files with the expected outcome inside, written once: what could be read stays readable, and
/// what was refused stays refused.
@Suite("Test vectors")
struct VectorTests {
    /// Only ever grows.
    static let knownCount = 103

    @Test("No vector is missing")
    func isComplete() {
        #expect(VectorFile.names.count >= Self.knownCount)
    }

    @Test("The outcome is the one in the file", arguments: VectorFile.names)
    func outcome(name: String) throws {
        let vector = try VectorFile(named: name)
        let reader = try VectorReader(vector)
        #expect(try reader.verdict() == vector.verdict)
        #expect(reader.differences == [])
    }

    @Test("A vector's file is as it would be written", arguments: VectorFile.names)
    func spelling(name: String) throws {
        let text = try readSmallFile(VectorFile.path(of: name), maximumByteCount: 1 << 20)
        #expect(Array(try VectorFile(named: name).text.utf8) == text)
    }
}
