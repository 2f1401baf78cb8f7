// Data other than files: the SDK's IntuneMAMDataProtectionManager.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Buffers, strings and streams. An account is a name or an object id; nil and "" mean nobody.
///
/// Errors have the SDK's ``MAMError/statusCode``, 100 to 105.
public struct DataProtectionManager: Sendable {
    private typealias Wire = Varlink.Protection

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
            _ = try unprotect(from: source, to: sink, ownUse: true)
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
        let request = Wire.ProtectData(
            owner: accountId ?? "", unmanaged: unmanaged, sourceDescriptor: 0,
            destinationDescriptor: 1)
        return try service.call(request, try ends(source, sink)).bytes
    }

    /// The inverse. Writes only verified data: before damage, everything up to it. Refused where
    /// policy does not let the content leave its account in the clear.
    ///
    /// - Returns: the number of bytes written.
    public func unprotect(from source: Int32, to sink: Int32) throws(MAMError) -> Int {
        try unprotect(from: source, to: sink, ownUse: false)
    }

    private func unprotect(
        from source: Int32, to sink: Int32, ownUse: Bool
    ) throws(MAMError) -> Int {
        try service.call(
            Wire.UnprotectData(sourceDescriptor: 0, destinationDescriptor: 1, ownUse: ownUse),
            try ends(source, sink)
        ).bytes
    }

    /// Reads only a header; nil for unprotected data.
    public func protectionInfo(from source: Int32) throws(MAMError) -> ProtectionInfo? {
        try service.call(
            Wire.DataInfo(sourceDescriptor: 0),
            [try FileReference.descriptor(source).open(O_RDONLY)], Self.readInfo)
    }

    /// Protects a string; the result is base64.
    public func protectString(
        _ text: String, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> String {
        try service.call(
            Wire.ProtectString(owner: accountId ?? "", unmanaged: unmanaged, text: text)
        ).text
    }

    /// The inverse of `protectString`. Returns unprotected text unchanged.
    public func unprotectString(_ text: String) throws(MAMError) -> String {
        try service.call(Wire.UnprotectString(text: text, ownUse: true)).text
    }

    /// A text's owner and protection; nil if it is not protected.
    public func protectionInfoForString(_ text: String) throws(MAMError) -> ProtectionInfo? {
        try service.call(Wire.StringInfo(text: text), [], Self.readInfo)
    }

    private static func readInfo(
        _ reply: Wire.DataInfo.Reply
    ) throws(VarlinkError) -> ProtectionInfo? {
        try reply.protection.map { wire throws(VarlinkError) in try ProtectionInfo(wire) }
    }

    private func ends(_ source: Int32, _ sink: Int32) throws(MAMError) -> [Descriptor] {
        [
            try FileReference.descriptor(source).open(O_RDONLY),
            try FileReference.descriptor(sink).open(O_WRONLY),
        ]
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
