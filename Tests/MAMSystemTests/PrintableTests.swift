import MAMModel
import MAMSystem
import Testing

@Suite struct PrintableTests {
    @Test(
        arguments: [
            ("plain, ä and 日本", "plain, ä and 日本"), ("a\nb", "a\\012b"),
            ("\u{1B}[2J", "\\033[2J"), ("\u{9B}2J", "\\302\\2332J"), ("\u{7F}", "\\177"),
            ("x\u{202E}gpj", "x\\342\\200\\256gpj"),
            ("a\u{2028}b", "a\\342\\200\\250b"), ("a\\b", "a\\b"), ("", ""),
        ])
    func `controls and marks that turn text are written out`(_ text: String, _ shown: String) {
        #expect(text.onOneLine == shown)
    }

    @Test func `JSON keeps its value and its lines`() {
        func printed(_ text: String) -> String {
            String(decoding: printable(json: Array(text.utf8)), as: UTF8.self)
        }
        #expect(printed("{\n \"ä\": 1}") == "{\n \"ä\": 1}")
        #expect(printed("\"\u{9B}\u{7F}\u{202E}\"") == "\"\\u009b\\u007f\\u202e\"")
        #expect(printed("\"\u{E0001}\"") == "\"\\udb40\\udc01\"")
    }
}
