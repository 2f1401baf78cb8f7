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
    private typealias Wire = Varlink.Protection

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
        try protect(
            file,
            Wire.Protect(owner: accountId ?? "", unmanaged: unmanaged, fileDescriptor: 0))
    }

    /// Skips files that already have that owner.
    @discardableResult
    public func verifyAndProtect(
        _ file: FileReference, accountId: String?, unmanaged: Bool = false
    ) throws(MAMError) -> ProtectionSummary {
        try protect(
            file,
            Wire.VerifyAndProtect(owner: accountId ?? "", unmanaged: unmanaged, fileDescriptor: 0))
    }

    /// A file's owner and protection; nil if it does not exist or has no owner.
    public func protectionInfo(_ file: FileReference) throws(MAMError) -> ProtectionInfo? {
        do throws(MAMError) {
            return try service.call(
                Varlink.Workspace.ProtectionInfo(fileDescriptor: 0), [try file.openForQuestion()]
            ) { reply throws(VarlinkError) in try ProtectionInfo(ofFile: reply.protection) }
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
        try protected(file, Wire.EncryptFile(owner: accountId, fileDescriptor: 0))
    }

    /// Makes a file of the mount plain, whatever policy says. The file then belongs to nobody until
    /// `protect` gives it to an account again.
    @discardableResult
    public func decryptFile(_ file: FileReference) throws(MAMError) -> ProtectionInfo {
        try protected(file, Wire.DecryptFile(fileDescriptor: 0))
    }

    /// Whether a file's content is encrypted, regardless of its owner.
    public func isFileEncrypted(_ file: FileReference) throws(MAMError) -> Bool {
        try service.call(
            Wire.IsFileEncrypted(fileDescriptor: 0), [try file.openForQuestion()]
        ).encrypted
    }

    /// Writes an encrypted copy of a plain file, in the form of the backing directory, to a new
    /// file outside the mount. For a file provider with ``Policy/shouldFileProviderEncryptFiles``.
    public func encryptFile(
        _ file: FileReference, forAccountId accountId: String, toCopy copy: FileReference
    ) throws(MAMError) {
        try convert(
            file, copy,
            Varlink.Workspace.Encrypt(
                owner: accountId, sourceDescriptor: 0, destinationDescriptor: 1))
    }

    /// Writes the plain content of a protected file, in the mount or outside, to a new file; keeps
    /// the original.
    public func decryptFile(
        _ file: FileReference, toCopy copy: FileReference
    ) throws(MAMError) {
        try convert(
            file, copy, Varlink.Workspace.Decrypt(sourceDescriptor: 0, destinationDescriptor: 1))
    }

    private func protected<Request: VarlinkRequest>(
        _ file: FileReference, _ request: Request
    ) throws(MAMError) -> ProtectionInfo where Request.Reply == Wire.EncryptFile.Reply {
        try service.call(request, [try file.openForQuestion()]) { reply throws(VarlinkError) in
            try ProtectionInfo(reply.protection)
        }
    }

    private func protect<Request: VarlinkRequest>(
        _ file: FileReference, _ request: Request
    ) throws(MAMError) -> ProtectionSummary where Request.Reply == Wire.Protect.Reply {
        let descriptor = try file.openForQuestion()
        var client = try service.connect()
        var summary = ProtectionSummary()
        do throws(VarlinkClient.Failure) {
            try client.stream(request, descriptors: [descriptor]) { reply in
                summary.take(reply)
                return true
            }
        } catch { throw MAMError(error) }
        return summary
    }

    /// Atomic: the copy is complete or does not appear.
    private func convert(
        _ file: FileReference, _ copy: FileReference, _ request: some VarlinkRequest
    ) throws(MAMError) {
        let source = try file.open(O_RDONLY)
        let destination = try copy.open(O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
        do throws(MAMError) {
            try service.call(request, [source, destination])
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
