// What the scenarios check with. A check that fails ends the program.

internal import Glibc
internal import MAMClient

struct Failed: Error, CustomStringConvertible {
    let description: String
}

func expect(
    _ isTrue: Bool, _ what: @autoclosure () -> String = "", line: Int = #line
) throws(Failed) {
    guard isTrue else { throw Failed(description: "line \(line): not so: \(what())") }
}

func expect<Value: Equatable>(
    _ value: Value, is expected: Value, line: Int = #line
) throws(Failed) {
    try expect(value == expected, "\(value), expected \(expected)", line: line)
}

/// The body must throw an error of this kind.
@discardableResult
func refused(
    _ code: MAMError.Code, line: Int = #line, _ body: () throws -> Void
) throws -> MAMError {
    do { try body() } catch let error as MAMError {
        try expect(error.code == code, "\(error.code) (\(error)), expected \(code)", line: line)
        return error
    }
    throw Failed(description: "line \(line): nothing was thrown, expected \(code)")
}

func create(_ path: String, _ text: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try expect(file >= 0, "open \(path): \(errno)")
    let bytes = Array(text.utf8)
    try expect(Glibc.write(file, bytes, bytes.count) == bytes.count && close(file) == 0, path)
}

func content(_ path: String) throws -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try expect(file >= 0, "open \(path): \(errno)")
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(file, &buffer, buffer.count)
    try expect(count >= 0, "read \(path): \(errno)")
    return String(decoding: buffer.prefix(count), as: UTF8.self)
}

/// With a passphrase file's descriptor.
func withPassphrase<Value>(_ path: String, _ body: (Passphrase) throws -> Value) throws -> Value {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    try expect(file >= 0, "open \(path): \(errno)")
    defer { close(file) }
    return try body(.descriptor(file))
}
