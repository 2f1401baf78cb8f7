// JSON as the socket, policies and settings have it.

import MAMModel

func checkJSON(_ bytes: [UInt8]) throws(Violation) {
    guard let value = try? JSONValue(parsing: bytes) else { return }
    try checkWritten(value)
}

/// What is written is read as the same value, in both forms, and has no zero byte, which would end
/// a frame.
func checkWritten(_ value: JSONValue) throws(Violation) {
    for isPretty in [false, true] {
        let text = value.encoded(pretty: isPretty)
        try expect(!text.contains(0), "a zero byte in JSON")
        let again = try must("what was written is not read") { try JSONValue(parsing: text) }
        try expect(again == value, "another value when written and read again")
        try expect(again.encoded(pretty: isPretty) == text, "other bytes when written again")
    }
}
