// Owners of files: the SDK's IntuneMAMFileProtectionManager.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// Files of the mount, and protected copies outside it. An account is a name or an object id; nil
/// and "" mean nobody.
///
/// Errors have the SDK's ``MAMError/statusCode``, 100 to 107.
public struct FileProtectionManager: Sendable {
    let service: Service

    /// Gives a file to an account, encrypting or decrypting it as needed; for a directory, every
    /// file below it, and new files there of programs that act for no particular account. Without
    /// `unmanaged`, an unregistered and possibly misspelt account is refused.
    ///
    /// - Returns: what was done, and the files below a directory that could not be changed.
    @discardableResult
    public func protect(
        _ file: FileReference, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> ProtectionSummary {
        try protect("Protect", file, accountId, unmanaged)
    }

    /// Skips files that already have that owner.
    @discardableResult
    public func verifyAndProtect(
        _ file: FileReference, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> ProtectionSummary {
        try protect("VerifyAndProtect", file, accountId, unmanaged)
    }

    /// A file's owner and protection; nil if it does not exist or has no owner.
    public func protectionInfo(_ file: FileReference) throws(MAMError) -> ProtectionInfo? {
        do throws(MAMError) {
            return try ask("Workspace.ProtectionInfo", file) { reply throws(VarlinkError) in
                try ProtectionInfo(ofFile: try reply.value("protection"))
            }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    /// Protects a file of the mount for a managed account; 106 for any other owner, 105 for a
    /// directory.
    @discardableResult
    public func encryptFile(
        _ file: FileReference, forAccountId accountId: String
    ) throws(MAMError) -> ProtectionInfo {
        try protected("EncryptFile", file, ["owner": .string(accountId)])
    }

    /// Makes a file of the mount plain, whatever policy says. The file then belongs to nobody until
    /// `protect` gives it to an account again.
    @discardableResult
    public func decryptFile(_ file: FileReference) throws(MAMError) -> ProtectionInfo {
        try protected("DecryptFile", file, [:])
    }

    /// Whether a file's content is encrypted, regardless of its owner.
    public func isFileEncrypted(_ file: FileReference) throws(MAMError) -> Bool {
        try ask("Protection.IsFileEncrypted", file) { reply throws(VarlinkError) in
            try reply.bool("encrypted")
        }
    }

    /// Writes an encrypted copy of a plain file, in the form of the backing directory, to a new
    /// file outside the mount. For a file provider with ``Policy/shouldFileProviderEncryptFiles``.
    public func encryptFile(
        _ file: FileReference, forAccountId accountId: String, toCopy copy: FileReference
    ) throws(MAMError) {
        try convert("Encrypt", file, copy, ["owner": .string(accountId)])
    }

    /// Writes the plain content of a protected file, in the mount or outside, to a new file; keeps
    /// the original.
    public func decryptFile(
        _ file: FileReference, toCopy copy: FileReference
    ) throws(MAMError) {
        try convert("Decrypt", file, copy, [:])
    }

    private func ask<Value>(
        _ method: String, _ file: FileReference, _ parameters: [String: JSONValue] = [:],
        _ read: (Parameters) throws(VarlinkError) -> Value
    ) throws(MAMError) -> Value {
        try service.call(
            method, parameters.merging(["fileDescriptor": 0]) { $1 },
            [try file.openForQuestion()], read)
    }

    private func protected(
        _ method: String, _ file: FileReference, _ parameters: [String: JSONValue]
    ) throws(MAMError) -> ProtectionInfo {
        try ask("Protection.\(method)", file, parameters) { reply throws(VarlinkError) in
            ProtectionInfo(try MAMModel.ProtectionInfo(try reply.value("protection")))
        }
    }

    private func protect(
        _ method: String, _ file: FileReference, _ accountId: String?, _ unmanaged: Bool
    ) throws(MAMError) -> ProtectionSummary {
        let descriptor = try file.openForQuestion()
        var client = try service.connect()
        var summary = ProtectionSummary()
        var malformed: VarlinkError?
        do throws(VarlinkClient.Failure) {
            try client.stream(
                "\(Varlink.Protection.name).\(method)",
                [
                    "owner": .string(accountId ?? ""), "unmanaged": .bool(unmanaged),
                    "fileDescriptor": 0,
                ], descriptors: [descriptor]
            ) { reply in
                do throws(VarlinkError) { try summary.take(reply) } catch { malformed = error }
                return malformed == nil
            }
        } catch { throw MAMError(error) }
        if let malformed { throw .unknownAnswer(malformed) }
        return summary
    }

    /// Atomic: the copy is complete or does not appear.
    private func convert(
        _ method: String, _ file: FileReference, _ copy: FileReference,
        _ parameters: [String: JSONValue]
    ) throws(MAMError) {
        let source = try file.open(O_RDONLY)
        let destination = try copy.open(O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        let indices: [String: JSONValue] = ["sourceDescriptor": 0, "destinationDescriptor": 1]
        do throws(MAMError) {
            try service.call(
                "Workspace.\(method)", parameters.merging(indices) { $1 }, [source, destination])
            try copy.naming { () throws(Errno) in try synchronize(destination.raw) }
        } catch {
            copy.unlink()
            throw error
        }
    }
}

extension FileReference {
    /// Removes what a failed call has created. A file passed as a descriptor is the caller's to
    /// remove.
    fileprivate func unlink() {
        switch self {
        case .path(let path): _ = Glibc.unlink(ByteString(path).cString)
        case .bytes(let bytes): _ = Glibc.unlink(ByteString(bytes).cString)
        case .descriptor: break
        }
    }
}
