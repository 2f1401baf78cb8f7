import MAMModel
import Testing

@Suite struct CountedTests {
    @Test(arguments: [(0, "0 files"), (1, "1 file"), (2, "2 files"), (1204, "1204 files")])
    func nouns(count: Int, text: String) {
        #expect(counted(count, "file") == text)
    }
}
