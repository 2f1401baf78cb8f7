// The entry point: one workspace and its managers.

internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// A mounted workspace, usable on any thread. It keeps no connection between calls, except for
/// threads' identities.
public struct Workspace: Sendable {
    let service: Service
    private let threads: ThreadIdentities

    /// The daemon's socket at a path.
    public init(socketPath: String) { self.init(Service(socketPath: socketPath)) }

    private init(_ service: Service) {
        self.service = service
        threads = ThreadIdentities(service)
    }

    /// The workspace of this name.
    public init(named name: String) throws(MAMError) {
        guard let name = WorkspaceName(name) else {
            throw MAMError(
                .noWorkspace, "'\(ByteString(name).shown)' is not a valid workspace name")
        }
        self.init(socketPath: Places.current.existingSocket(of: name))
    }

    /// The workspace whose mount a file is in.
    public init(containing file: FileReference) throws(MAMError) {
        guard let (name, user) = workspaceMount(of: try file.open(openPathOnly)) else {
            throw MAMError(.noWorkspace, "\(file.shown) is not in a mounted workspace")
        }
        self.init(
            Service(socketPath: Places.current.existingSocket(of: name), mountOwner: user))
    }

    /// The only running workspace; of several, the only one that is the user's own or has accounts
    /// of the user: root's daemons answer all users.
    public init() throws(MAMError) {
        let running = Places.current.sockets().filter {
            // A killed daemon leaves its socket behind; a daemon of another user does not count.
            (try? VarlinkClient.connect(to: $0.path)) != nil
        }
        guard !running.isEmpty else { throw MAMError(.unreachable, "no workspace is mounted") }
        let mine = running.count == 1 ? running : running.filter { Self.concernsUser($0.path) }
        guard let only = mine.first, mine.count == 1 else {
            let names = (mine.isEmpty ? running : mine).map(\.name.description)
                .joined(separator: ", ")
            throw MAMError(.noWorkspace, "several workspaces are mounted: \(names)")
        }
        self.init(socketPath: only.path)
    }

    private static func concernsUser(_ socketPath: String) -> Bool {
        guard var client = try? VarlinkClient(path: socketPath) else { return false }
        return client.concernsUser()
    }

    /// Owners of files: `IntuneMAMFileProtectionManager`.
    public var fileProtection: FileProtectionManager { FileProtectionManager(service: service) }

    /// Data other than files: `IntuneMAMDataProtectionManager`.
    public var dataProtection: DataProtectionManager { DataProtectionManager(service: service) }

    /// Identities and policies: `IntuneMAMPolicyManager`.
    public var policies: PolicyManager { PolicyManager(service: service, threads: threads) }

    /// Adding and removing accounts: `IntuneMAMEnrollmentManager`.
    public var enrollment: EnrollmentManager { EnrollmentManager(service: service) }

    /// The organisation's configuration for programs: `IntuneMAMAppConfigManager`.
    public var appConfig: AppConfigManager { AppConfigManager(service: service) }
}

extension Workspace {
    /// The directory where the files are visible in the clear.
    public func mountPoint() throws(MAMError) -> String {
        try service.call(Varlink.Workspace.Status()).mountPoint
    }

    /// The accounts of the workspace.
    public func accounts() throws(MAMError) -> [Account] {
        try service.call(Varlink.Workspace.ListAccounts()).accounts.map { Account($0) }
    }

    /// Closes the windows of an account, or of all the caller's accounts.
    ///
    /// - Parameters:
    ///   - accountId: a name or object id; nil for all that the caller may lock.
    ///   - now: without the grace period; nothing is readable on return.
    /// - Throws: ``MAMError/Code/refused`` for another user's account.
    public func lock(_ accountId: String? = nil, now: Bool = false) throws(MAMError) {
        try service.call(Varlink.Workspace.Lock(account: accountId, now: now))
    }

    /// Counts as use of an account: it is not locked for being idle until its time has passed once
    /// more. Call it when a person asks for it, for example after ``Event/Kind/idleLockDue``.
    ///
    /// - Throws: ``MAMError/Code/refused`` for another user's account.
    public func keepOpen(_ accountId: String? = nil) throws(MAMError) {
        try service.call(Varlink.Workspace.KeepOpen(account: accountId))
    }

    /// Opens the windows of an account, or of the caller's only one.
    public func unlock(_ accountId: String? = nil, passphrase: Passphrase) throws(MAMError) {
        let secret = try passphrase.secret()
        try service.call(
            Varlink.Workspace.Unlock(account: accountId, passphraseDescriptor: secret.index),
            secret.descriptors)
    }

    /// Destroys an account's keys, then its files. False if something is left, which the next call
    /// or the daemon's next start removes. A call counts as confirmed: ask the user before.
    public func wipe(_ accountId: String) throws(MAMError) -> Bool {
        try service.call(Varlink.Workspace.Wipe(account: accountId, confirmed: true)).complete
    }
}
