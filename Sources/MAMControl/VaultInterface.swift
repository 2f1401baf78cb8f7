// The base of the interfaces over the vault: callers' rights, and files by path or descriptor.

internal import Glibc
internal import MAMFormat
internal import MAMIdentity
internal import MAMModel
internal import MAMSettings
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

/// Answers calls from the vault.
protocol VaultService: Sendable {
    var tree: Tree { get }
}

extension VaultService {
    var vault: Vault { tree.vault }
}

/// What is generated of an interface's file.
protocol WireInterface {
    associatedtype Method: RawRepresentable<String>
    static var name: String { get }
}

extension Varlink.Audit: WireInterface {}
extension Varlink.Enrollment: WireInterface {}
extension Varlink.Fleet: WireInterface {}
extension Varlink.Identity: WireInterface {}
extension Varlink.Policy: WireInterface {}
extension Varlink.Protection: WireInterface {}
extension Varlink.Recovery: WireInterface {}
extension Varlink.Report: WireInterface {}
extension Varlink.SignIn: WireInterface {}
extension Varlink.Workspace: WireInterface {}

/// An interface over the vault.
protocol VaultInterface: VaultService, VarlinkInterface {
    associatedtype Wire: WireInterface
}

extension VaultInterface {
    package var name: String { Wire.name }

    package func has(method: String) -> Bool { Wire.Method(rawValue: method) != nil }
}

let currentProcess = getpid()
let currentUser = geteuid()

extension VaultService {
    /// True for root and for the daemon's own user.
    func isTrusted(_ peer: Peer) -> Bool { peer.uid == 0 || peer.uid == currentUser }

    /// The identity that the calling process acts for.
    func identity(of peer: Peer) -> Identity {
        peer.asking { Callers(vault).identity(ofThread: $0, user: peer.uid) }
    }

    /// The same, and where it comes from.
    func found(for peer: Peer) -> FoundIdentity {
        peer.asking { Callers(vault).found(forThread: $0, user: peer.uid) }
    }

    /// The calling process's login session.
    func session(of call: VarlinkCall) -> LoginSession {
        call.peer.asking { LoginSession(of: $0, user: call.peer.uid) }
    }

    /// `instead`: what other users can do, for the message.
    func requireTrusted(
        _ call: VarlinkCall, toDo action: Message, instead: Message? = nil
    ) throws(VarlinkError) {
        guard isTrusted(call.peer) else {
            let those: Message =
                currentUser == 0 ? .verbatim("root") : "root and uid \(currentUser)"
            let advice: Message = instead.map { "; \($0) instead" } ?? ""
            throw .refused("only \(those) may \(action)\(advice)")
        }
    }

    /// True for root, for the daemon's own user, and for the user of the service that carries
    /// documents, keys and reports.
    func isCarrier(_ peer: Peer) -> Bool {
        if isTrusted(peer) { return true }
        let name = vault.rules.settings.fleetUser
        return !name.isEmpty && userID(named: name) == peer.uid
    }

    func requireCarrier(_ call: VarlinkCall, toDo action: Message) throws(VarlinkError) {
        guard !isCarrier(call.peer) else { return }
        throw .refused(
            "only root, the daemon's own user and the user that FleetUser names may \(action)")
    }

    /// Refuses a caller that may not act for the identity.
    func requireControl(_ call: VarlinkCall, of identity: Identity) throws(VarlinkError) {
        guard !Callers(vault).mayAct(call.peer.uid, for: identity),
            let user = vault.registrant(of: identity)
        else { return }
        throw .refused("the account \(identity) belongs to uid \(user)")
    }

    /// Refuses the file of an owner that the caller may not act for.
    func requireControl(_ call: VarlinkCall, ofFileOf owner: Identity) throws(VarlinkError) {
        guard !Callers(vault).mayAct(call.peer.uid, for: owner),
            let user = vault.registrant(of: owner)
        else { return }
        throw VarlinkError(.othersFile(owner, user))
    }

    /// Refuses protected content to a caller that may not act for the account whose key it needs.
    func requireControl(_ call: VarlinkCall, of header: FileHeader) throws(VaultError) {
        if !isTrusted(call.peer), let user = vault.registrant(of: header), user != call.peer.uid {
            throw .othersFile(header.owner, user)
        }
    }

    /// The protection of the file that a call names. The daemon reads the header of a file outside
    /// the mount, but only of one named by path: those callers have the daemon's rights anyway.
    func protection(
        of file: Descriptor, _ call: VarlinkCall, in tree: Tree
    ) throws(VaultError) -> FileProtection {
        do throws(VaultError) { return try Answers(tree).protection(of: file) } catch {
            guard case .notFound = error, !call.parameters.has("fileDescriptor") else {
                throw error
            }
        }
        let readable = try systemCall { () throws(Errno) in
            try reopen(file.raw, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        }
        return try Answers(tree).protection(of: readable)
    }

    /// Only a file's owner on disk, and root, may give it to another identity.
    func requireOwnership(_ call: VarlinkCall, of file: Descriptor) throws(VarlinkError) {
        let owner: uid_t
        do throws(Errno) { owner = try CachedFacts(of: file.raw).uid } catch {
            throw .systemError(error, "the file")
        }
        guard isTrusted(call.peer) || owner == call.peer.uid else {
            throw .refused("it belongs to uid \(owner)")
        }
    }

    /// A wipe cannot be undone, so it needs an explicit confirmation. Where the mount is read-only,
    /// it is refused: the account's files would stay.
    func requireWipeable(_ name: String, isConfirmed: Bool?) throws(VarlinkError) {
        guard isConfirmed == true else {
            throw .invalidInput(
                "a wipe destroys the keys and files of \(name) for good: ask, and call it with"
                    + " confirmed: true"
            )
        }
        guard !Wipe(tree).isReadOnly else {
            throw .refused(
                "the workspace is mounted read-only, and \(name)'s files could not be removed")
        }
    }

    /// Refuses files of kernel file systems (proc, sysfs…). Many check the rights of the process
    /// that reads or writes, which would be the daemon, and not of the one that opened them. The
    /// own mount is not asked for its kind.
    func requireOrdinary(_ file: Descriptor, _ call: VarlinkCall) throws(VarlinkError) {
        guard !isTrusted(call.peer) else { return }
        guard (try? CachedFacts(of: file.raw))?.device != tree.mountDevice else { return }
        guard (try? FileSystemKind(of: file).isKernels) ?? true else { return }
        throw .refused("the daemon uses no file of the kernel's for uid \(call.peer.uid)")
    }

    /// Runs a vault call whose failure becomes the caller's error.
    func vaulted<Value>(_ body: () throws(VaultError) -> Value) throws(VarlinkError) -> Value {
        do throws(VaultError) { return try body() } catch { throw VarlinkError(error) }
    }
}

extension VarlinkError {
    init(_ error: VaultError) {
        switch error {
        case .windowClosed(let owner): self = .windowClosed(owner.description)
        case .keyMissing: self = .notFound(error.reason, next: error.next)
        case .keyRevoked: self = .notFound(error.reason)
        case .blocked(let owner, let block): self = .blocked(owner.description, block)
        case .refused(let reason, let next, _): self = .refused(reason, next: next)
        case .invalid(let reason, let next): self = .invalidInput(reason, next: next)
        case .notFound(let reason): self = .notFound(reason)
        case .notManaged: self = .notManaged(error.reason, next: error.next)
        case .store(.system(let code)): self = .systemError(code, "the file")
        case .store(let reason) where reason.isDamage: self = .damaged(reason.message)
        case .store(let reason): self = .invalidInput(reason.message)
        }
    }
}

/// How to open a file that a caller named by path.
enum FileUse {
    case pathOnly, read, write

    var flags: Int32 {
        switch self {
        case .pathOnly: openPathOnly | O_NOFOLLOW
        case .read: O_RDONLY | O_NOCTTY | O_NONBLOCK
        case .write: O_RDWR | O_NOCTTY | O_NONBLOCK
        }
    }
}

extension VarlinkCall {
    /// The file that a call names by descriptor or by path. Only callers that have the daemon's
    /// rights anyway may have it open a path.
    func file(
        _ pathName: String, _ descriptorName: String, _ service: some VaultService,
        _ use: FileUse
    ) throws(VarlinkError) -> Descriptor {
        if let descriptor = try descriptor(descriptorName) {
            try service.requireOrdinary(descriptor, self)
            return descriptor
        }
        guard let path = try parameters.optionalPath(pathName) else {
            throw .invalidInput("one of \(pathName) and \(descriptorName) is needed")
        }
        try service.requireTrusted(self, toDo: "name files by path", instead: "pass a descriptor")
        do throws(Errno) { return try openFile(path, use.flags) } catch {
            if error == .noEntry || error == .notDirectory { throw .notFound("\(path): \(error)") }
            throw .systemError(error, .verbatim(path))
        }
    }
}
