// JSON in and out.

import MAMModel
import MAMWire
import TestSupport
import Testing

@testable import MAMControl

@Suite struct JSONValueTests {
    static let texts: [(String, JSONValue)] = [
        ("null", .null), ("true", true), ("false", false), ("0", 0), ("1", 1), ("-1", -1),
        ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("1.5", .number(1.5)), (#""""#, ""), (#""\u0000\n\"é""#, "\u{0}\n\"é"),
        ("[]", []), ("{}", [:]), (#"{"a":[1,{"b":null}]}"#, ["a": [1, ["b": nil]]]),
    ]

    @Test(arguments: texts)
    func `a text is read as the value it stands for, and back`(text: String, value: JSONValue)
        throws
    {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
        #expect(try JSONValue(parsing: value.encoded()) == value)
        #expect(!value.encoded().contains(0))
    }

    @Test(
        arguments: [
            "", " ", "{", "[1", "{\"a\"}", "nul", "'a'", "[1,]x", "{\"a\":1}}", "\u{1}", "NaN",
            "\"a", "01", "]", "}{",
        ])
    func `what is not JSON is refused`(text: String) {
        #expect(throws: JSONValue.Malformed.syntax) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONValue.Malformed.self) {
            try JSONValue(parsing: [0x22, 0xFF, 0xFE, 0x22])
        }
    }

    @Test func `nesting is bounded, and brackets in strings do not count`() throws {
        func nested(_ count: Int) -> [UInt8] {
            Array(
                (String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        #expect(try JSONValue(parsing: nested(32)).array?.count == 1)
        #expect(throws: JSONValue.Malformed.tooDeep) { try JSONValue(parsing: nested(33)) }
        #expect(throws: JSONValue.Malformed.tooDeep) { try JSONValue(parsing: nested(500_000)) }
        let text = String(repeating: "[", count: 100) + "\\\"" + String(repeating: "{", count: 100)
        #expect(try JSONValue(parsing: Array("\"\(text)\"".utf8)).text?.count == 201)
    }

    /// A count of brackets byte by byte takes the zero for what is escaped, and the rest for the
    /// inside of a string.
    private static let deepInUTF16 =
        #"["k\"","# + String(repeating: "[", count: 300) + String(repeating: "]", count: 301)

    @Test(arguments: ["7", "[]", #"{"a": "b"}"#, deepInUTF16])
    func `texts in UTF-16 and UTF-32 are refused, whatever their nesting`(text: String) {
        for marked in [text, "\u{FEFF}" + text] {
            for width in [2, 4] {
                let units = marked.unicodeScalars.map { scalar in
                    (0..<width).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
                }
                for bytes in [units.flatMap(\.self), units.flatMap { $0.reversed() }] {
                    #expect(throws: JSONValue.Malformed.syntax) { try JSONValue(parsing: bytes) }
                }
            }
        }
    }

    @Test func `of a key that is written twice the first counts`() throws {
        #expect(try JSONValue(parsing: Array(#"{"a":1,"a":2}"#.utf8)) == ["a": 1])
    }

    static let lenient: [(String, JSONValue)] = [
        ("[1,]", [1]), (#"{"a":1 , }"#, ["a": 1]), ("\u{FEFF}7", 7),
    ]

    @Test(
        arguments: lenient)
    func `what is in people's files and not in the standard is read all the same`(
        text: String, value: JSONValue
    ) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    static let exact: [(String, JSONValue)] = [
        ("1.0", 1), ("1e2", 100), ("1E+2", 100), ("-0", 0), ("-0.0", 0), ("0.1e1", 1),
        ("-1e-2", .number(-0.01)), ("1e-400", 0), ("9007199254740993.0", 9_007_199_254_740_993),
        ("9223372036854775808", .number(0x1p63)),
    ]

    @Test(arguments: exact)
    func `numbers are kept exact as far as they fit`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == value)
    }

    static let escaped: [(String, String)] = [
        (#""\/\b\f\r\t\\""#, "/\u{8}\u{C}\r\t\\"), (#""\ud83d\ude00""#, "\u{1F600}"),
        (#""\u00e9\u00E9""#, "\u{e9}\u{e9}"), (#""a\u0000b""#, "a\u{0}b"),
    ]

    @Test(arguments: escaped)
    func `escapes are characters, and half a pair is none`(text: String, value: String) throws {
        #expect(try JSONValue(parsing: Array(text.utf8)) == .string(value))
    }

    @Test(
        arguments: [
            "[,]", "{,}", "[1,,]", "[1 2]", "+1", ".5", "1.", "1e", "-", "1e400", #""\ud800""#,
            #""\ud800\u0041""#, #""\udc00""#, #""\x""#, "\"a\tb\"", #""\u12g4""#, #"{"a":1 "b":2}"#,
            "truefalse", "tru", "\u{B}1", "1\u{0}", "00", "-01",
        ])
    func `what only looks like JSON is refused`(text: String) {
        #expect(throws: JSONValue.Malformed.syntax) { try JSONValue(parsing: Array(text.utf8)) }
    }

    @Test func `more values than are wanted are refused, however small they are`() throws {
        let bytes = Array("[[],[],1]".utf8)
        #expect(try JSONValue(parsing: bytes, maximumCount: 4).array?.count == 3)
        #expect(throws: JSONValue.Malformed.tooMany) {
            try JSONValue(parsing: bytes, maximumCount: 3)
        }
    }

    @Test(arguments: ["1,", "[],", #""","#, #"{"":0},"#])
    func `a mebibyte of small values is refused at once`(item: String) throws {
        let count = (1 << 20) / item.utf8.count
        let bytes = Array(("[" + String(repeating: item, count: count) + "0]").utf8)
        let seconds = processorSeconds {
            #expect(throws: JSONValue.Malformed.tooMany) { try JSONValue(parsing: bytes) }
        }
        // Foundation's decoder would take 12 s for them.
        #expect(seconds < 4)
    }

    @Test func `a number whose fraction is too fine to be kept is a whole one`() throws {
        let value = try JSONValue(parsing: Array("9203685472233720368.07758".utf8))
        #expect(value == .integer(9_203_685_472_233_720_832))
        #expect(try JSONValue(parsing: value.encoded()) == value)
    }

    @Test func `infinity is written as null`() {
        #expect(JSONValue.number(.infinity).encoded() == Array("null".utf8))
    }
}
