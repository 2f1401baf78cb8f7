import Testing

@testable import MAMModel

@Suite struct JSONReaderTests {
    /// Each as Foundation's decoder has it, or left to it.
    static let texts = [
        "{}", "[]", "null", "true", "false", "\"\"", "0", "-1", "12", "999999999999999999",
        #"{"a":[1,2,{"b":null}],"c":"ä€😀","":false}"#, " \t\r\n[ 1 , \"x\" ]\n",
        #"{"a" : "b" , "c" : [ ] }"#, "-0", "1.5", "1e3", "1E2", "01", "-", "-01", "+1", ".5", "1.",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "12345678901234567890123", #"{"a":1,"a":2}"#, #""\n""#, #""\u00e4""#, #""\ud83d\ude00""#,
        #""\ud83d""#, "\"\u{1}\"", "\"\u{7F}\"", "tru", "nul", "truex", "[1,]", "[,1]", "[1 2]",
        "{\"a\":1,}", "{\"a\"}", "{a:1}", "{1:2}", "[", "]", "{", "\"", "", " ", "1 2", "[1]]",
        "\u{FEFF}1", "'a'", "NaN", "Infinity", "/**/1", "[1]x", "{\"a\":}", "1-", "--1", "1_0",
    ]

    @Test(arguments: texts)
    func `it agrees with the decoder, or leaves the text to it`(text: String) {
        let bytes = Array(text.utf8)
        guard let value = JSONReader.value(of: bytes) else { return }
        #expect(value == (try? JSONValue.decoded(bytes)))
    }

    @Test func `plain texts are not left to the decoder`() throws {
        let value = try #require(
            JSONReader.value(of: Array(#"{"a": [1, -20, "x"], "b": {"c": null, "d": true}}"#.utf8)))
        #expect(value == ["a": [1, -20, "x"], "b": ["c": .null, "d": true]])
    }

    @Test func `what is no UTF-8 is left to the decoder`() {
        for bad in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
            let bytes: [UInt8] = [0x22] + bad.map { UInt8($0) } + [0x22]
            #expect(JSONReader.value(of: bytes) == nil)
        }
    }

    @Test func `texts that are cut off or changed anywhere are read as the decoder reads them`() {
        let text = Array(#"{"ab": [1, -20, {"c": "ä"}], "d": true, "e": null}"#.utf8)
        for at in text.indices {
            var changed = [Array(text[..<at])]
            for byte: UInt8 in [0x22, 0x5C, 0x2C, 0x3A, 0x5B, 0x7D, 0x30, 0x2E, 0x65, 0x80, 0x0A] {
                changed.append(text)
                changed[changed.count - 1][at] = byte
            }
            for bytes in changed {
                guard let value = JSONReader.value(of: bytes) else { continue }
                #expect(value == (try? JSONValue.decoded(bytes)))
            }
        }
    }
}
