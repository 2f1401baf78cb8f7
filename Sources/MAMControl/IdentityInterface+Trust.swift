// Trusted programs: those that may read what is only for contained ones.

internal import Glibc
internal import MAMAudit
internal import MAMIdentity
internal import MAMKeyring
internal import MAMModel
internal import MAMSettings
internal import MAMSystem
internal import MAMVault
internal import MAMWire

extension IdentityInterface {
    /// Contained programs do not come here: ``ContainedCalls``.
    func trust(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.Trust = try call.request()
        try requireAdministrator(call)
        var account: AccountID?
        if let name = request.account { account = try self.account(name, call).id }
        guard let file = try call.descriptor("programDescriptor"),
            let process = try call.descriptor("processDescriptor")
        else { throw Self.noChild }
        let program = try trustedProgram(file)
        let child = try child(process, of: call.peer)
        try refuseContained(child, call.peer)
        guard
            vault.identities.set(
                account.map { vault.identity(of: $0) } ?? .nobody, by: call.peer.uid, for: child,
                standing: .trusted(account == nil ? .allAccounts : .ownAccount))
        else { throw notSet(call) ?? Self.noChild }
        audit(program, account, child, call.peer)
        return NoMembers()
    }

    /// Root where the workspace is root's, else its user: nobody else's settings are at stake.
    private func requireAdministrator(_ call: VarlinkCall) throws(VarlinkError) {
        guard call.peer.uid == currentUser else {
            let one = currentUser == 0 ? "root" : "uid \(currentUser)"
            throw .refused("only \(one), whose daemon serves it, may start trusted programs")
        }
    }

    /// The path of the file, which is one that the setting names, and that only root can replace.
    /// The kernel tells where the file is, so that no link of anybody's counts.
    private func trustedProgram(_ file: Descriptor) throws(VarlinkError) -> ByteString {
        let path: ByteString
        let opened: stat
        do throws(Errno) {
            (path, opened) = try withExtendedLifetime(file) { () throws(Errno) in
                (try currentPath(of: file.raw), try status(of: file.raw))
            }
        } catch { throw .systemError(error, "the program") }
        guard vault.rules.settings.trustedPrograms.contains(where: { ByteString($0) == path })
        else {
            throw .refused(
                "the setting TrustedPrograms, which is read when the daemon starts, does not name"
                    + " \(path.shown)")
        }
        let found: stat
        do throws(PathFlaw) { found = try statusOfRootsFile(at: path) } catch {
            throw .refused("\(error)", next: error.remedy)
        }
        // In another mount name space a path may lead elsewhere.
        guard (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino) else {
            throw .refused("the daemon sees another file at \(path.shown)")
        }
        return path
    }

    /// It was told that the kernel holds it; what it reads must not become free.
    private func refuseContained(_ child: ProcessLife, _ peer: Peer) throws(VarlinkError) {
        let found = Callers(vault).found(forThread: child.id, user: peer.uid)
        guard !found.isContained else {
            throw .refused("process \(child.id) is contained: it cannot become a trusted one")
        }
    }

    /// One record for each account whose files other programs do not get, so that its user may read
    /// it.
    private func audit(
        _ program: ByteString, _ account: AccountID?, _ child: ProcessLife, _ peer: Peer
    ) {
        let restricted = vault.keyring.accounts.filter {
            Containment(vault).isRequired(for: $0) || !vault.merged(of: $0).sendsToAll
        }
        let concerned = account.map { [$0] } ?? restricted
        for account in concerned.isEmpty ? [nil] : concerned.map(Optional.some) {
            let whose = account.map { vault.identity(of: $0).description } ?? "all accounts"
            vault.audit(
                .trusted, account,
                "\(program.shown), process \(child.id) of uid \(peer.uid), is trusted with files of"
                    + " \(whose)"
            ) { $0.path = program.shown }
        }
    }
}

extension PathFlaw {
    fileprivate var remedy: String? {
        switch kind {
        case .ownedBy: "chown root: \(place.shown)"
        case .writable: "chmod go-w \(place.shown)"
        case .notAbsolute, .link, .notFile, .failed: nil
        }
    }
}
