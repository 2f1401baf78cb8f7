// Files and directories in the mount: the SDK's file protection manager.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension ProtectionInterface {
    /// `onlyIfOther`: `VerifyAndProtect`, which has the same parameters.
    func protect(_ call: VarlinkCall, onlyIfOther: Bool) throws -> Wire.Protect.Reply {
        let asked: Wire.Protect = try call.request()
        let owner = try owner(asked.owner, call)
        do throws(VarlinkError) {
            try requireMeant(owner, unmanaged: asked.unmanaged, call)
        } catch {
            throw VarlinkError.fileFailed(FileStatus(error, otherwise: .invalidArgument), error)
        }
        let giver = try fileGiver(call, override: asked.override)
        let file = try file(call)
        let replies = ProtectReplies(call)
        let request = request(call, owner, giver, onlyIfOther: onlyIfOther)
        do throws(VaultError) { try Protect(tree).protect(file, for: request, replies) } catch {
            // The caller has hung up: no final reply.
            if let failure = replies.failure { throw failure }
            throw failed(error, otherwise: .encryptionFailed)
        }
        return .init(summary: replies.summary)
    }

    func encryptFile(_ call: VarlinkCall) throws(VarlinkError) -> Wire.EncryptFile.Reply {
        let asked: Wire.EncryptFile = try call.request()
        let owner = try owner(asked.owner, call)
        guard vault.isManaged(owner) else {
            throw .fileFailed(
                Accounts(vault).all.isEmpty ? .applicationNotManaged : .identityNotManaged,
                notManaged(owner, call))
        }
        let giver = try fileGiver(call, override: asked.override)
        let file = try regularFile(call)
        let request = request(call, owner, giver, onlyIfOther: false)
        do throws(VaultError) {
            try Protect(tree).protect(file, for: request, ProtectReplies(call))
            return .init(protection: .init(try Answers(tree).protection(of: file)))
        } catch { throw failed(error, otherwise: .encryptionFailed) }
    }

    func decryptFile(_ call: VarlinkCall) throws(VarlinkError) -> Wire.DecryptFile.Reply {
        let asked: Wire.DecryptFile = try call.request()
        let giver = try fileGiver(call, override: asked.override)
        let file = try regularFile(call)
        do throws(VaultError) {
            let current = try Answers(tree).protection(of: file)
            try requireRights(call, current.owner, user(of: file))
            let info = try Owners(tree).decrypt(file, by: giver)
            return .init(protection: .init(info))
        } catch { throw failed(error, otherwise: .decryptionFailed) }
    }

    func isFileEncrypted(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.IsFileEncrypted.Reply {
        _ = try call.request(Wire.IsFileEncrypted.self)
        let file = try regularFile(call)
        do throws(VaultError) {
            return .init(encrypted: try protection(of: file, call, in: tree).isManaged)
        } catch { throw failed(error, otherwise: .internalError) }
    }

    private func owner(_ name: String?, _ call: VarlinkCall) throws(VarlinkError) -> Identity {
        guard let owner = try namedOwner(name, call) else {
            throw .fileFailed(.invalidArgument, .noOwner)
        }
        return owner
    }

    private func fileGiver(
        _ call: VarlinkCall, override: String?
    ) throws(VarlinkError) -> Giver {
        do throws(VarlinkError) { return try giver(call, override: override) } catch {
            throw .fileFailed(FileStatus(error, otherwise: .invalidArgument), error)
        }
    }

    private func file(_ call: VarlinkCall) throws(VarlinkError) -> Descriptor {
        do throws(VarlinkError) {
            return try call.file("path", "fileDescriptor", self, .pathOnly)
        } catch { throw .fileFailed(FileStatus(error, otherwise: .internalError), error) }
    }

    private func regularFile(_ call: VarlinkCall) throws(VarlinkError) -> Descriptor {
        let file = try file(call)
        guard (try? CachedFacts(of: file.raw))?.type != S_IFDIR else {
            throw .fileFailed(.pathIsDirectory, .invalidInput("it is a directory"))
        }
        return file
    }

    private func request(
        _ call: VarlinkCall, _ owner: Identity, _ giver: Giver, onlyIfOther: Bool
    ) -> ProtectRequest {
        ProtectRequest(
            owner: vault.canonical(owner), giver: giver, onlyIfOther: onlyIfOther
        ) { current, user throws(VaultError) in try requireRights(call, current, user) }
    }

    /// As for `SetOwner`, the caller must control the current owner and own the file on disk.
    private func requireRights(
        _ call: VarlinkCall, _ owner: Identity, _ user: UInt32
    ) throws(VaultError) {
        guard !isTrusted(call.peer) else { return }
        if let registrant = vault.registrant(of: owner), registrant != call.peer.uid {
            throw .othersFile(owner, registrant)
        }
        guard user == call.peer.uid else { throw .refused("it belongs to uid \(user)") }
    }

    private func user(of file: Descriptor) -> UInt32 {
        withExtendedLifetime(file) { (try? CachedFacts(of: file.raw))?.uid ?? .max }
    }

    private func failed(_ error: VaultError, otherwise: FileStatus) -> VarlinkError {
        let cause = VarlinkError(error)
        return .fileFailed(FileStatus(cause, otherwise: otherwise), cause)
    }
}

/// Streams the results until a send fails.
private final class ProtectReplies: ProtectListener {
    private typealias Wire = Varlink.Protection

    private let call: VarlinkCall
    private(set) var failure: (any Error)?
    private(set) var summary = Varlink.Protection.Summary(files: 0, changed: 0, failed: 0)

    init(_ call: VarlinkCall) { self.call = call }

    var isListening: Bool { call.isConnected }

    func did(_ file: ProtectedFile) -> Bool {
        summary.files += 1
        if file.wasChanged { summary.changed += 1 }
        return reply(
            .init(
                file: .init(
                    path: file.path.shown, changed: file.wasChanged,
                    protection: .init(file.protection))))
    }

    func failed(_ path: ByteString, _ error: VaultError) -> Bool {
        summary.files += 1
        summary.failed += 1
        let cause = VarlinkError(error)
        let status = FileStatus(cause, otherwise: .encryptionFailed)
        return reply(
            .init(
                failure: .init(
                    path: path.shown, status: status.rawValue, name: "\(status)",
                    cause: cause.lastName, reason: "\(cause)", next: cause.next)))
    }

    private func reply(_ reply: Wire.Protect.Reply) -> Bool {
        guard call.wantsMore else { return true }
        do {
            try call.reply(reply.withoutNulls)
            return true
        } catch {
            failure = error
            return false
        }
    }
}
