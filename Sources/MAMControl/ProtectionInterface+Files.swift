// Files and directories of the mount: the file protection manager.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension ProtectionInterface {
    func protect(_ call: VarlinkCall, onlyIfOther: Bool) throws -> [String: JSONValue] {
        try call.parameters.allowOnly(Self.fileNames.union(["owner", "unmanaged"]))
        let owner = try owner(call)
        do throws(VarlinkError) { try requireMeant(owner, call) } catch {
            throw VarlinkError.fileFailed(FileStatus(error, otherwise: .invalidArgument), error)
        }
        let file = try file(call)
        let replies = ProtectReplies(call)
        let request = request(call, owner, onlyIfOther: onlyIfOther)
        do throws(VaultError) { try Protect(tree).protect(file, for: request, replies) } catch {
            // Nobody is there to read a last reply.
            if let failure = replies.failure { throw failure }
            throw failed(error, otherwise: .encryptionFailed)
        }
        return ["summary": replies.summary]
    }

    func encryptFile(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(Self.fileNames.union(["owner"]))
        let owner = try owner(call)
        guard vault.isManaged(owner) else {
            throw .fileFailed(
                Accounts(vault).all.isEmpty ? .applicationNotManaged : .identityNotManaged,
                notManaged(owner, call))
        }
        let file = try regularFile(call)
        let replies = ProtectReplies(call)
        do throws(VaultError) {
            try Protect(tree).protect(file, for: request(call, owner, onlyIfOther: false), replies)
            return ["protection": try Answers(tree).protection(of: file).json]
        } catch { throw failed(error, otherwise: .encryptionFailed) }
    }

    func decryptFile(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(Self.fileNames)
        let file = try regularFile(call)
        do throws(VaultError) {
            let current = try Answers(tree).protection(of: file)
            try requireRights(call, current.owner, user(of: file))
            return [
                "protection": try Owners(tree).decrypt(file, for: identity(of: call.peer)).json
            ]
        } catch { throw failed(error, otherwise: .decryptionFailed) }
    }

    func isFileEncrypted(_ call: VarlinkCall) throws(VarlinkError) -> [String: JSONValue] {
        try call.parameters.allowOnly(Self.fileNames)
        let file = try regularFile(call)
        do throws(VaultError) {
            return ["encrypted": .bool(try protection(of: file, call, in: tree).isManaged)]
        } catch { throw failed(error, otherwise: .internalError) }
    }

    private static let fileNames: Set<String> = ["path", "fileDescriptor"]

    private func owner(_ call: VarlinkCall) throws(VarlinkError) -> Identity {
        guard let owner = try namedOwner(call) else {
            throw .fileFailed(.invalidArgument, .noOwner)
        }
        return owner
    }

    private func file(_ call: VarlinkCall) throws(VarlinkError) -> Descriptor {
        do throws(VarlinkError) {
            return try call.file("path", "fileDescriptor", self, .pathOnly)
        } catch { throw .fileFailed(FileStatus(error, otherwise: .internalError), error) }
    }

    private func regularFile(_ call: VarlinkCall) throws(VarlinkError) -> Descriptor {
        let file = try file(call)
        let mode = (try? status(of: file.raw))?.st_mode ?? 0
        guard mode & S_IFMT != S_IFDIR else {
            throw .fileFailed(.pathIsDirectory, .invalidInput("it is a directory"))
        }
        return file
    }

    private func request(
        _ call: VarlinkCall, _ owner: Identity, onlyIfOther: Bool
    ) -> ProtectRequest {
        ProtectRequest(
            owner: vault.canonical(owner), caller: identity(of: call.peer), onlyIfOther: onlyIfOther
        ) { current, user throws(VaultError) in try requireRights(call, current, user) }
    }

    /// As for `SetOwner`: of the account that a file leaves, and of the file.
    private func requireRights(
        _ call: VarlinkCall, _ owner: Identity, _ user: UInt32
    ) throws(VaultError) {
        guard !isTrusted(call.peer) else { return }
        if let registrant = vault.registrant(of: owner), registrant != call.peer.uid {
            throw .refused("the account \(owner) belongs to uid \(registrant)")
        }
        guard user == call.peer.uid else { throw .refused("it belongs to uid \(user)") }
    }

    private func user(of file: Descriptor) -> UInt32 {
        withExtendedLifetime(file) { (try? status(of: file.raw))?.st_uid ?? .max }
    }

    private func failed(_ error: VaultError, otherwise: FileStatus) -> VarlinkError {
        let cause = VarlinkError(error)
        return .fileFailed(FileStatus(cause, otherwise: otherwise), cause)
    }
}

/// Sends what is done, until that fails.
private final class ProtectReplies: ProtectListener {
    private let call: VarlinkCall
    private(set) var failure: (any Error)?
    private var counts = (files: 0, changed: 0, failed: 0)

    init(_ call: VarlinkCall) { self.call = call }

    var isListening: Bool { call.isConnected }

    var summary: JSONValue {
        [
            "files": JSONValue(counts.files), "changed": JSONValue(counts.changed),
            "failed": JSONValue(counts.failed),
        ]
    }

    func did(_ file: ProtectedFile) -> Bool {
        counts.files += 1
        if file.wasChanged { counts.changed += 1 }
        return reply([
            "file": [
                "path": .string(file.path.shown), "changed": .bool(file.wasChanged),
                "protection": file.protection.json,
            ]
        ])
    }

    func failed(_ path: ByteString, _ error: VaultError) -> Bool {
        counts.files += 1
        counts.failed += 1
        let cause = VarlinkError(error)
        let status = FileStatus(cause, otherwise: .encryptionFailed)
        var members = VarlinkError.fileFailed(status, cause).parameters
        members["account"] = nil
        members["path"] = .string(path.shown)
        return reply(["failure": .object(members)])
    }

    private func reply(_ parameters: [String: JSONValue]) -> Bool {
        guard call.wantsMore else { return true }
        do {
            try call.reply(parameters)
            return true
        } catch {
            failure = error
            return false
        }
    }
}
