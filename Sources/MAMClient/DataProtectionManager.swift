// Data that is no file: the SDK's IntuneMAMDataProtectionManager.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Buffers, strings and streams. An account is a name or an object id; nil and "" are nobody.
///
/// Errors carry the SDK's ``MAMError/statusCode``, 100 to 105.
public struct DataProtectionManager: Sendable {
    let service: Service

    /// Sealed for a managed account, plain behind a header for nobody, and with `unmanaged` for
    /// anybody else; without it that is refused. No data is an error, 105.
    public func protect(
        _ data: [UInt8], accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> [UInt8] {
        try throughMemory(data) { source, sink throws(MAMError) in
            _ = try protect(from: source, to: sink, accountId: accountId, unmanaged: unmanaged)
        }
    }

    /// The inverse. What `protect` did not make comes back as it is.
    public func unprotect(_ data: [UInt8]) throws(MAMError) -> [UInt8] {
        try throughMemory(data) { source, sink throws(MAMError) in
            _ = try unprotect(from: source, to: sink)
        }
    }

    /// Whose the data is; nil for data that `protect` did not make.
    public func protectionInfo(_ data: [UInt8]) throws(MAMError) -> ProtectionInfo? {
        let source = try memory(data)
        return try protectionInfo(from: source.raw)
    }

    /// Reads a descriptor to its end, and writes what it read protected to the other. Both may be
    /// pipes, of any size.
    ///
    /// - Returns: how many bytes were read.
    public func protect(
        from source: Int32, to sink: Int32, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> Int {
        try stream("ProtectData", Self.owner(accountId, unmanaged), source, sink)
    }

    /// The inverse. All that is written has verified; at damage it is what came before.
    ///
    /// - Returns: how many bytes were written.
    public func unprotect(from source: Int32, to sink: Int32) throws(MAMError) -> Int {
        try stream("UnprotectData", [:], source, sink)
    }

    /// Reads a header and no more; nil for data that is not protected.
    public func protectionInfo(from source: Int32) throws(MAMError) -> ProtectionInfo? {
        try service.call(
            "Protection.DataInfo", ["sourceDescriptor": 0],
            [try FileReference.descriptor(source).open(O_RDONLY)], Self.readInfo)
    }

    /// The same as with data; the result is base64.
    public func protectString(
        _ text: String, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> String {
        try service.call(
            "Protection.ProtectString",
            Self.owner(accountId, unmanaged).merging(["text": .string(text)]) { $1 }
        ) { reply throws(VarlinkError) in try reply.string("text") }
    }

    /// The inverse. Text that `protectString` did not make comes back as it is.
    public func unprotectString(_ text: String) throws(MAMError) -> String {
        try service.call("Protection.UnprotectString", ["text": .string(text)]) {
            reply throws(VarlinkError) in try reply.string("text")
        }
    }

    /// Whose a text is; nil for one that `protectString` did not make.
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

    /// The daemon reads and writes descriptors; a buffer is lent to it as memory that reaches no
    /// disk.
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
