// What libcurl hands over during one request; it calls these on the thread that makes it.

/// What has arrived.
final class WebSink {
    let maximumByteCount: Int
    var body: [UInt8] = []
    var tag: String?
    var isFull = false

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }
}

private func sink(_ context: UnsafeMutableRawPointer?) -> WebSink? {
    context.map { Unmanaged<WebSink>.fromOpaque($0).takeUnretainedValue() }
}

func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let total = size * count
    guard let sink = sink(context), let bytes else { return 0 }
    guard sink.body.count + total <= sink.maximumByteCount else {
        sink.isFull = true
        return 0
    }
    sink.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: total))
    return total
}

func takeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let total = size * count
    guard let sink = sink(context), let bytes else { return total }
    let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: total), as: UTF8.self)
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "etag" else { return total }
    let value = parts[1].drop { $0 == " " || $0 == "\t" }.prefix { !$0.isNewline }
    // It goes back as it came: nothing that would begin a header of its own, nor a long one.
    let isSafe = value.utf8.count <= 200 && value.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    sink.tag = isSafe ? String(value) : nil
    return total
}
