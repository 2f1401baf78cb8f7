// Known answers of AES-256-GCM with a 16-byte nonce.

/// Computed with a GCM written from NIST SP 800-38D on top of AES-ECB (python3), and again with
/// python3-cryptography's AESGCM: both agree.
struct GCMVector: Sendable, CustomStringConvertible {
    let description: String
    let key: [UInt8]
    let nonce: [UInt8]
    let data: [UInt8]
    let plain: [UInt8]
    let sealed: [UInt8]
    let tag: [UInt8]

    private static let key = [UInt8](0..<32)
    private static let nonce = [UInt8](0x40..<0x50)
    private static let data = [UInt8](0x80..<0xA0)

    static let hello = GCMVector(
        description: "five bytes", key: key, nonce: nonce, data: data, plain: Array("hello".utf8),
        sealed: bytes("5de77ab7f3"), tag: bytes("c369c5ead688a2388a2d10860d068463"))

    static let all = [
        hello,
        GCMVector(
            description: "nothing but associated data", key: key, nonce: nonce, data: data,
            plain: [], sealed: [], tag: bytes("d3511abcf363a2954fb8da267b8c9e9c")),
        GCMVector(
            description: "no associated data", key: key, nonce: nonce, data: [],
            plain: [UInt8](0..<48),
            sealed: bytes(
                """
                358314d8985a510c910269fe9261e8ad6a5b05c54b4b2eeab840c3b1ed4e1bc9\
                d8771ccb97a2b7258887576e67c4787d
                """), tag: bytes("19ca72ad1d9ddfd528df21a620c4e9be")),
        GCMVector(
            description: "zeros", key: [UInt8](repeating: 0, count: 32),
            nonce: [UInt8](repeating: 0, count: 16), data: [UInt8](repeating: 0, count: 32),
            plain: [UInt8](repeating: 0, count: 16),
            sealed: bytes("df53c00d30173e8b9cde3ddd2ca3c6bf"),
            tag: bytes("cc9dddb6f4d0295a497d8647a23723ab")),
    ]

    /// A payload of a whole block; its ciphertext is known by its first and last 16 bytes.
    static let payload = (
        key: key, nonce: nonce, data: data,
        plain: (0..<4064).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) },
        head: "368807c383797a3fa2492aa5c93283ce", tail: "416177edcc29d5dc4477f20f0cf8d5a7",
        tag: "5540ec504c7141467f6690bcfab3fa32"
    )
}
