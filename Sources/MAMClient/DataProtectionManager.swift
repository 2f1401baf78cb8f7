// Data other than files: the SDK's IntuneMAMDataProtectionManager.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Buffers, strings and streams. An account is a name or an object id; nil and "" mean nobody.
///
/// Errors have the SDK's ``MAMError/statusCode``, 100 to 105.
public struct DataProtectionManager: Sendable {
    let service: Service

    /// Seals the data for a managed account. For nobody, or with `unmanaged` for any other
    /// identity, the result is plain behind a header; otherwise such an owner is refused. Empty
    /// data is an error, 105.
    public func protect(
        _ data: [UInt8], accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> [UInt8] {
        try throughMemory(data) { source, sink throws(MAMError) in
            _ = try protect(from: source, to: sink, accountId: accountId, unmanaged: unmanaged)
        }
    }

    /// The inverse of `protect`. Returns unprotected data unchanged.
    public func unprotect(_ data: [UInt8]) throws(MAMError) -> [UInt8] {
        try throughMemory(data) { source, sink throws(MAMError) in
            _ = try unprotect(from: source, to: sink)
        }
    }

    /// The data's owner and protection; nil if it is not protected.
    public func protectionInfo(_ data: [UInt8]) throws(MAMError) -> ProtectionInfo? {
        let source = try memory(data)
        return try protectionInfo(from: source.raw)
    }

    /// Reads `source` to its end, and writes the protected data to `sink`. Both may be pipes, of
    /// any size.
    ///
    /// - Returns: the number of bytes read.
    public func protect(
        from source: Int32, to sink: Int32, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> Int {
        try stream("ProtectData", Self.owner(accountId, unmanaged), source, sink)
    }

    /// The inverse. Writes only verified data: before damage, everything up to it.
    ///
    /// - Returns: the number of bytes written.
    public func unprotect(from source: Int32, to sink: Int32) throws(MAMError) -> Int {
        try stream("UnprotectData", [:], source, sink)
    }

    /// Reads only a header; nil for unprotected data.
    public func protectionInfo(from source: Int32) throws(MAMError) -> ProtectionInfo? {
        try service.call(
            "Protection.DataInfo", ["sourceDescriptor": 0],
            [try FileReference.descriptor(source).open(O_RDONLY)], Self.readInfo)
    }

    /// Protects a string; the result is base64.
    public func protectString(
        _ text: String, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> String {
        try service.call(
            "Protection.ProtectString",
            Self.owner(accountId, unmanaged).merging(["text": .string(text)]) { $1 }
        ) { reply throws(VarlinkError) in try reply.string("text") }
    }

    /// The inverse of `protectString`. Returns unprotected text unchanged.
    public func unprotectString(_ text: String) throws(MAMError) -> String {
        try service.call("Protection.UnprotectString", ["text": .string(text)]) {
            reply throws(VarlinkError) in try reply.string("text")
        }
    }

    /// A text's owner and protection; nil if it is not protected.
    public func protectionInfoForString(_ text: String) throws(MAMError) -> ProtectionInfo? {
        try service.call("Protection.StringInfo", ["text": .string(text)], [], Self.readInfo)
    }

    private static func owner(_ accountId: String?, _ unmanaged: Bool) -> [String: JSONValue] {
        ["owner": .string(accountId ?? ""), "unmanaged": .bool(unmanaged)]
    }

    private static func readInfo(_ reply: Parameters) throws(VarlinkError) -> ProtectionInfo? {
        guard reply.has("protection") else { return nil }
        return ProtectionInfo(try MAMModel.ProtectionInfo(try reply.value("protection")))
    }

    private func stream(
        _ method: String, _ parameters: [String: JSONValue], _ source: Int32, _ sink: Int32
    ) throws(MAMError) -> Int {
        let indices: [String: JSONValue] = ["sourceDescriptor": 0, "destinationDescriptor": 1]
        let ends = [
            try FileReference.descriptor(source).open(O_RDONLY),
            try FileReference.descriptor(sink).open(O_WRONLY),
        ]
        return try service.call(
            "Protection.\(method)", parameters.merging(indices) { $1 }, ends
        ) { reply throws(VarlinkError) in try reply.integer("bytes") }
    }

    /// The daemon reads and writes descriptors, so buffers are passed as files in memory.
    private func throughMemory(
        _ data: [UInt8], _ body: (Int32, Int32) throws(MAMError) -> Void
    ) throws(MAMError) -> [UInt8] {
        let (source, sink) = (try memory(data), try memory([]))
        try body(source.raw, sink.raw)
        return try Self.naming { () throws(Errno) in
            try readHead(of: sink.raw, byteCount: Int(try status(of: sink.raw).st_size))
        }
    }

    private func memory(_ data: [UInt8]) throws(MAMError) -> Descriptor {
        try Self.naming { () throws(Errno) in
            let file = try openMemoryFile()
            try data.span.bytes.withUnsafeBytes { bytes throws(Errno) in
                try writeFully(file.raw, from: bytes, at: 0)
            }
            return file
        }
    }

    private static func naming<Value>(
        _ call: () throws(Errno) -> Value
    ) throws(MAMError) -> Value {
        do throws(Errno) { return try call() } catch { throw MAMError("shared memory", error) }
    }
}
