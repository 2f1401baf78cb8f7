// What the method Status answers.

package import MAMModel

/// What the socket tells of the workspace.
package struct StatusReport: Sendable, Equatable {
    package let name: String
    package let id: String
    package let version: String
    package let backingDirectory: String
    package let mountPoint: String
    /// `device` or `io_uring`: how requests come; nil without a mount.
    package var transport: String?
    /// How it does so, or why not through io_uring although that was asked for.
    package var transportNote: String?
    package var isReadOnly = false
    package let pid: Int32
    package let uid: UInt32
    package let isMultiIdentity: Bool
    package let maximumClass: ProtectionClass
    package let openFiles: Int
    package let accounts: [AccountReport]
    /// There is no account, and sealed files whose keys are elsewhere.
    package var needsImport = false
    /// Nil if there was none yet, and for whom it is not told.
    package var lastVerify: LastVerifyReport?
    /// Files of the policy directory; none for whom they are not told.
    package var refused: [Varlink.Workspace.RefusedDocument] = []

    package init(
        name: String, id: String, version: String, backingDirectory: String, mountPoint: String,
        pid: Int32, uid: UInt32, isMultiIdentity: Bool, maximumClass: ProtectionClass,
        openFiles: Int, accounts: [AccountReport]
    ) {
        self.name = name
        self.id = id
        self.version = version
        self.backingDirectory = backingDirectory
        self.mountPoint = mountPoint
        self.pid = pid
        self.uid = uid
        self.isMultiIdentity = isMultiIdentity
        self.maximumClass = maximumClass
        self.openFiles = openFiles
        self.accounts = accounts
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        name = try wire.string("name")
        id = try wire.string("id")
        version = try wire.string("version")
        backingDirectory = try wire.string("backingDirectory")
        mountPoint = try wire.string("mountPoint")
        transport = try wire.optionalString("transport")
        transportNote = try wire.optionalString("transportNote")
        isReadOnly = try wire.flag("readOnly")
        guard let pid = Int32(exactly: try wire.integer("pid")) else {
            throw .invalidParameter("pid")
        }
        guard let uid = UInt32(exactly: try wire.integer("uid")) else {
            throw .invalidParameter("uid")
        }
        self.pid = pid
        self.uid = uid
        isMultiIdentity = try wire.bool("multiIdentity")
        guard let maximumClass = ProtectionClass(try wire.string("maximumClass")) else {
            throw .invalidParameter("maximumClass")
        }
        self.maximumClass = maximumClass
        openFiles = try wire.integer("openFiles")
        accounts = try [AccountReport](wire)
        needsImport = try wire.flag("needsImport")
        lastVerify = try wire.optionalObject("lastVerify").map(LastVerifyReport.init)
        // An earlier daemon has none.
        refused = try wire.value("refused") ?? []
    }

    /// The members of the wire form.
    package var members: [String: JSONValue] {
        [
            "name": .string(name),
            "id": .string(id),
            "version": .string(version),
            "backingDirectory": .string(backingDirectory),
            "mountPoint": .string(mountPoint),
            "transport": transport.map { .string($0) } ?? .null,
            "transportNote": transportNote.map { .string($0) } ?? .null,
            "readOnly": .bool(isReadOnly),
            "pid": JSONValue(pid),
            "uid": JSONValue(uid),
            "multiIdentity": .bool(isMultiIdentity),
            "maximumClass": .string(maximumClass.letter),
            "openFiles": JSONValue(openFiles),
            "accounts": .array(accounts.map(\.json)),
            "needsImport": .bool(needsImport),
            "lastVerify": lastVerify.map { .object($0.summary) } ?? .null,
            "refused": refused.json,
        ]
    }
}

extension [AccountReport] {
    /// Reads the member `accounts`, as several methods answer it.
    package init(_ wire: Parameters) throws(VarlinkError) {
        self = []
        for account in try wire.objects("accounts") { append(try AccountReport(account)) }
    }
}
