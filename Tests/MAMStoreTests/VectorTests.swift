import MAMModel
import MAMSystem
import Testing

/// Files with the expected outcome inside, written once: what could be read stays readable, and
/// what was refused stays refused.
@Suite struct VectorTests {
    /// Only ever grows.
    static let knownCount = 103

    @Test func `no vector is missing`() {
        #expect(VectorFile.names.count >= Self.knownCount)
    }

    @Test(arguments: VectorFile.names)
    func `the outcome is the one in the file`(name: String) throws {
        let vector = try VectorFile(named: name)
        let reader = try VectorReader(vector)
        #expect(try reader.verdict() == vector.verdict)
        #expect(reader.differences == [])
    }

    @Test(arguments: VectorFile.names)
    func `a vector's file is as it would be written`(name: String) throws {
        let text = try readSmallFile(VectorFile.path(of: name), maximumByteCount: 1 << 20)
        #expect(Array(try VectorFile(named: name).text.utf8) == text)
    }
}
