// Removes what is in a directory of caches, and nothing else.

internal import Glibc
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault

/// One pass over the caches of an account.
///
/// Programs may move, replace and link what is there meanwhile. So each name is removed while no
/// name can change, and only if its directory is then below the cache; links are not followed. Only
/// directories of the home's user are entered: there that user could remove the same.
struct CacheSweep {
    private let tree: Tree
    private let account: AccountID
    private let limit: Int64
    private let deadline: Deadline
    private var removed: RemovedNames
    private(set) var count = 0
    /// False if something is left that was to go.
    private(set) var isWhole = true

    /// More directories stay until the next pass.
    private static let directoryLimit = 65_536

    init(_ tree: Tree, of account: AccountID, changedUntil limit: Int64, deadline: Deadline) {
        self.tree = tree
        self.account = account
        self.limit = limit
        self.deadline = deadline
        removed = RemovedNames(tree.cache)
    }

    /// A missing directory is empty, and so is one that is not the user's own.
    mutating func clear(_ path: ByteString, of user: UInt32) {
        guard isOwnPath(path, of: user), let top = try? Walk(tree).find(path) else { return }
        let directory = top.entry.inode
        defer { tree.leave(directory.node) }
        guard isOwn(top, user) else { return }
        var directories: [ByteString] = []
        var mayEnter = false
        let wasWhole = Walk(tree).walk(
            from: directory, at: path, while: { !tree.isStopping && !deadline.hasPassed },
            enters: { mayEnter }
        ) { found in
            let isDirectory = found.entry.inode.isDirectory
            mayEnter = isDirectory && isOwn(found, user)
            guard isOld(found.entry.attributes) else { return true }
            guard isDirectory else { return remove(found, below: path) }
            if mayEnter, directories.count < Self.directoryLimit { directories.append(found.path) }
            return true
        }
        // The lowest first.
        for directory in directories.reversed() { removeDirectory(directory, below: path, user) }
        isWhole = isWhole && wasWhole && directories.count < Self.directoryLimit
    }

    mutating func finish() { removed.flush() }

    /// True if it is the user's as far up as the mount, so that nobody else has made it.
    private func isOwnPath(_ path: ByteString, of user: UInt32) -> Bool {
        var parent = path.directory
        while !parent.bytes.isEmpty, parent.bytes != [UInt8(ascii: ".")] {
            guard let found = try? Walk(tree).find(parent) else { return false }
            defer { tree.leave(found.entry.inode.node) }
            guard isOwn(found, user) else { return false }
            parent = parent.directory
        }
        return true
    }

    private func isOwn(_ found: WalkedEntry, _ user: UInt32) -> Bool {
        found.entry.inode.isDirectory && found.entry.attributes.st_uid == user
    }

    private func isOld(_ status: stat) -> Bool { status.st_ctim.nanoseconds <= limit }

    /// True unless it failed.
    private mutating func remove(_ found: WalkedEntry, below path: ByteString) -> Bool {
        guard !isOfAnother(found.entry.inode) else { return true }
        do throws(Errno) {
            let isGone = try tree.names.exclusive { () throws(Errno) in
                let status = try status(at: found.parent.handle.raw, found.name.cString)
                guard BackingID(status) == found.entry.inode.backingID, isOld(status),
                    isBelow(path, found.parent)
                else { return false }
                try withOwnerRights(to: found.parent.handle) { _ throws(Errno) in
                    try removeFile(in: found.parent.handle.raw, named: found.name.cString)
                }
                return true
            }
            if isGone {
                count += 1
                removed.add(found.name, in: found.parent.node)
            }
            return true
        } catch { return error == .noEntry }
    }

    /// Stays if something is in it.
    private mutating func removeDirectory(
        _ path: ByteString, below top: ByteString, _ user: UInt32
    ) {
        guard let found = try? Walk(tree).find(path) else { return }
        defer { tree.leave(found.entry.inode.node) }
        guard isOwn(found, user) else { return }
        let isGone = tree.names.exclusive {
            isBelow(top, found.parent)
                && unlinkat(found.parent.handle.raw, found.name.cString, AT_REMOVEDIR) == 0
        }
        if isGone { removed.add(found.name, in: found.parent.node) }
    }

    /// Whether a directory is the cache itself or below it. The caller excludes renames.
    private func isBelow(_ top: ByteString, _ directory: Inode) -> Bool {
        guard let path = tree.relativePath(of: directory) else { return false }
        return path.isWithin(top)
    }

    private func isOfAnother(_ inode: Inode) -> Bool {
        guard let sealing = inode.header?.sealing,
            let owner = tree.vault.keyring.account(ofKey: sealing.keyID)
        else { return false }
        return owner != account
    }
}
