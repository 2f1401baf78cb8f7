// io.mamd.Workspace over the vault and the mount, one function per method.

internal import MAMCrypto
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMPolicy
internal import MAMSettings
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWire
internal import MAMWorkspace

/// The properties of a workspace that do not change while it is mounted.
package struct WorkspaceFacts: Sendable {
    package let name: String
    package let id: String
    package let backingDirectory: String
    /// Empty during a check without a mount.
    package let mountPoint: String

    package init(name: String, id: String, backingDirectory: String, mountPoint: String) {
        self.name = name
        self.id = id
        self.backingDirectory = backingDirectory
        self.mountPoint = mountPoint
    }
}

/// Implements the interface. Stateless.
package struct WorkspaceInterface: VaultInterface {
    typealias Wire = Varlink.Workspace

    let facts: WorkspaceFacts
    let tree: Tree
    let lastVerify: LastVerify

    package init(
        _ facts: WorkspaceFacts, tree: Tree,
        lastVerify: LastVerify = LastVerify()
    ) {
        self.facts = facts
        self.lastVerify = lastVerify
        self.tree = tree
    }

    package func answer(_ call: VarlinkCall) throws -> any VarlinkReply {
        let method = try call.method(of: Wire.Method.self)
        guard !facts.mountPoint.isEmpty || Self.methodsOfCheck.contains(method) else {
            throw VarlinkError.refused(
                "the workspace is being checked, and is not mounted: \(call.method) needs a mount")
        }
        return switch method {
        case .status: try status(call)
        case .listAccounts: try listAccounts(call)
        case .registerAccount: try registerAccount(call)
        case .changePassphrase: try changePassphrase(call)
        case .listSlots: try listSlots(call)
        case .testSlot: try testSlot(call)
        case .addSlot: try addSlot(call)
        case .removeSlot: try removeSlot(call)
        case .lock: try lock(call)
        case .unlock: try unlock(call)
        case .keepOpen: try keepOpen(call)
        case .wipe: try wipe(call)
        case .watch: try watch(call)
        case .protectionInfo: try protectionInfo(call)
        case .whyRefused: try whyRefused(call)
        case .inspect: try inspect(call)
        case .setOwner: try setOwner(call)
        case .setClass: try setClass(call)
        case .encrypt: try encrypt(call)
        case .decrypt: try decrypt(call)
        case .verify: try verify(call)
        case .setProcessIdentity: try setProcessIdentity(call)
        }
    }

    package func cost(of method: String) -> CallCost {
        switch Wire.Method(rawValue: method) {
        case .registerAccount, .changePassphrase, .unlock, .testSlot, .addSlot, .removeSlot:
            .derivation
        case .lock, .wipe: .closing
        case .watch: .listening
        case .setOwner, .setClass, .encrypt, .decrypt, .verify: .long
        default: .short
        }
    }

    /// The methods that need no mount.
    private static let methodsOfCheck: Set<Wire.Method> = [
        .status, .listAccounts, .unlock, .lock, .verify,
    ]

    private func status(_ call: VarlinkCall) throws(VarlinkError) -> StatusReport {
        _ = try call.request(Wire.Status.self)
        let isMounted = !facts.mountPoint.isEmpty
        let isTrusted = isTrusted(call.peer)
        let accounts = accountReports(for: call.peer)
        let transport = isMounted ? tree.transport : nil
        return .init(
            name: facts.name, id: facts.id, version: productVersion,
            backingDirectory: facts.backingDirectory,
            mountPoint: isMounted ? tree.mountPoint.wireText : "",
            transport: transport.map { $0.way == .ring ? .io_uring : .device },
            transportNote: transport?.note,
            readOnly: isMounted && Wipe(tree).isReadOnly, pid: Int(currentProcess),
            uid: Int(currentUser), multiIdentity: vault.rules.settings.multiIdentity,
            maximumClass: vault.rules.settings.maximumClass,
            openFiles: isTrusted
                ? vault.openFileCount : accounts.compactMap(\.openFiles).reduce(0, +),
            accounts: accounts, needsImport: Unopened(tree).needsImport,
            lastVerify: isTrusted ? lastVerify.report.map { .init($0) } : nil,
            refused: isTrusted ? vault.refusedDocuments.map { .init($0) } : [],
            backingGone: tree.isBackingGone, replaced: isProgramReplaced)
    }

    private func protectionInfo(
        _ call: VarlinkCall
    ) throws(VarlinkError) -> Wire.ProtectionInfo.Reply {
        let request: Wire.ProtectionInfo = try call.request()
        let info: FileProtection
        if request.device != nil || request.inode != nil {
            guard let device = request.device, let inode = request.inode else {
                throw .invalidInput("device and inode belong together")
            }
            try requireTrusted(
                call, toDo: "ask by device and inode number", instead: "pass a descriptor")
            info = try vaulted { () throws(VaultError) in
                // A number with the highest bit set arrives as a negative one.
                try Answers(tree).protection(
                    device: UInt64(bitPattern: Int64(device)),
                    inode: UInt64(bitPattern: Int64(inode)))
            }
        } else {
            let file = try call.file("path", "fileDescriptor", self, .pathOnly)
            info = try vaulted { () throws(VaultError) in try protection(of: file, call, in: tree)
            }
        }
        return .init(protection: .init(info))
    }

    private func setOwner(_ call: VarlinkCall) throws(VarlinkError) -> Wire.SetOwner.Reply {
        let request: Wire.SetOwner = try call.request()
        guard let owner = try namedOwner(request.owner, call) else { throw .noOwner }
        try requireMeant(owner, unmanaged: request.unmanaged, call)
        let giver = try giver(call, override: request.override)
        let file = try ownFile(call)
        let info = try vaulted { () throws(VaultError) in
            try Owners(tree).setOwner(vault.canonical(owner), of: file, by: giver)
        }
        return .init(protection: .init(info))
    }

    private func setClass(_ call: VarlinkCall) throws(VarlinkError) -> Wire.SetClass.Reply {
        let request: Wire.SetClass = try call.request()
        let file = try ownFile(call)
        let info = try vaulted { () throws(VaultError) in
            try Classes(tree).setClass(request.class, of: file)
        }
        return .init(protection: .init(info))
    }

    /// The file that a call names and its caller may change.
    private func ownFile(_ call: VarlinkCall) throws(VarlinkError) -> Descriptor {
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let current = try vaulted { () throws(VaultError) in try Answers(tree).protection(of: file)
        }
        try requireControl(call, ofFileOf: current.owner)
        try requireOwnership(call, of: file)
        return file
    }

    private func encrypt(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Encrypt.Reply {
        let request: Wire.Encrypt = try call.request()
        guard let owner = try namedOwner(request.owner, call) else { throw .noOwner }
        guard vault.isManaged(owner) else { throw notManaged(owner, call) }
        let giver = try giver(call, override: request.override)
        let source = try opened(
            call.file("sourcePath", "sourceDescriptor", self, .read), by: giver)
        let destination = try call.file("destinationPath", "destinationDescriptor", self, .write)
        let bytes = try vaulted { () throws(VaultError) in
            try requireGift(Gift(vault, by: giver), ofShown: source, to: owner)
            if let stream = DescriptorEnds(from: source, call) {
                return try Converter(vault).encrypt(stream, for: owner, into: destination)
            }
            return try Converter(vault).encrypt(source, for: owner, into: destination)
        }
        return .init(bytes: Int(bytes))
    }

    private func decrypt(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Decrypt.Reply {
        let request: Wire.Decrypt = try call.request()
        let giver = try giver(call, override: request.override)
        let source = try opened(
            call.file("sourcePath", "sourceDescriptor", self, .read), by: giver)
        let destination = try call.file("destinationPath", "destinationDescriptor", self, .write)
        let sink: PlainSink =
            DescriptorEnds(from: source, to: destination, call).map { .stream($0) }
            ?? .file(destination)
        let (gift, receiver) = (Gift(vault, by: giver), receiver(of: destination))
        if Answers(tree).contain(source) {
            return .init(bytes: Int(try decryptShown(call, source, into: sink, gift, receiver)))
        }
        let bytes = try vaulted { () throws(VaultError) in
            try decryptSealed(call, source, into: sink, gift, receiver)
        }
        return .init(bytes: Int(bytes))
    }

    private func decryptSealed(
        _ call: VarlinkCall, _ source: Descriptor, into sink: PlainSink, _ gift: Gift,
        _ receiver: Identity
    ) throws(VaultError) -> Int64 {
        try Converter(vault).decrypt(source, into: sink) { header throws(VaultError) in
            try requireGift(call, gift, of: header, in: source, to: receiver)
        }
    }

    /// Copies a file in the mount, which is plaintext there, or opens the protected data that it
    /// holds. The caller needs the rights to open it, even if another process opened the
    /// descriptor.
    private func decryptShown(
        _ call: VarlinkCall, _ source: Descriptor, into sink: PlainSink, _ gift: Gift,
        _ receiver: Identity
    ) throws(VarlinkError) -> Int64 {
        let info = try vaulted { () throws(VaultError) in try Answers(tree).protection(of: source) }
        try requireControl(call, ofFileOf: info.owner)
        return try vaulted { () throws(VaultError) in
            try gift.check(info, to: receiver) { place(of: source) }
            if try holdsProtectedData(source) {
                return try decryptSealed(call, source, into: sink, gift, receiver)
            }
            return try Converter(vault).decryptShown(source, info, into: sink)
        }
    }

    private func setProcessIdentity(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.SetProcessIdentity = try call.request()
        try setProcessIdentity(request.identity, call, until: nil)
        return .init()
    }
}

extension Varlink.Workspace.LastVerify {
    fileprivate init(_ report: LastVerifyReport) {
        self.init(time: report.time, repair: report.repair, counts: report.counts)
    }
}
