// Evidence in the tree of who owns content, or will.

internal import Glibc
internal import MAMFormat
package import MAMModel
internal import MAMSystem
package import MAMTree
package import MAMVault

/// Finds files and directories of a name or key.
package struct Claims: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// The interval between calls of `shallGoOn`, which make a system call, while there may be
    /// millions of files.
    private static let lookMilliseconds = 100

    package func hasClaim(
        where isWanted: (StoredClaim) -> Bool, while shallGoOn: () -> Bool,
        failed: (ByteString, Errno) -> Void
    ) -> Bool? {
        var isFound = claim(ofRoot: tree.root).map(isWanted) ?? false
        var (isWaitedFor, isWhole) = (true, true)
        var nextLook = Deadline(milliseconds: Self.lookMilliseconds)
        func shallWalkOn() -> Bool {
            isWhole = isWhole && !tree.isStopping && isWaitedFor
            return isWhole && !isFound
        }
        func note(_ path: ByteString, _ error: Errno) {
            // What the daemon may not read, such as lost+found, it cannot show to anyone either.
            guard error != .accessDenied, !error.meansGone else { return }
            if isWhole { failed(path, error) }
            isWhole = false
        }
        _ = Walk(tree).walk(while: shallWalkOn, failed: note) { found in
            if nextLook.hasPassed {
                nextLook = Deadline(milliseconds: Self.lookMilliseconds)
                isWaitedFor = shallGoOn()
            }
            let claim = claim(of: found.entry.inode, found.entry.attributes) { found.path }
            isFound = claim.map(isWanted) ?? false
            return !isFound
        }
        return isFound ? true : isWhole ? false : nil
    }

    private func claim(ofRoot root: Descriptor) -> StoredClaim? {
        guard let inode = try? tree.table.inode(InodeTable.rootNode),
            let status = try? status(of: root.raw)
        else { return nil }
        return claim(of: inode, status) { ByteString("") }
    }

    /// Nil if it names no owner, or is unreadable.
    private func claim(
        of inode: Inode, _ attributes: stat, path: @escaping () -> ByteString
    ) -> StoredClaim? {
        if inode.isDirectory {
            return DirectoryDefaults(tree).childOwner(of: inode).map {
                .directory($0, user: attributes.st_uid)
            }
        }
        guard inode.isRegular, let header = inode.header else { return nil }
        return .file(OwnedHeader(header, user: attributes.st_uid), path: path) {
            guard let file = try? openBacking(inode.handle, O_RDONLY) else { return nil }
            return withExtendedLifetime(file) {
                try? readHead(of: file.raw, byteCount: FileHeader.byteCount)
            }
        }
    }
}

/// Something in the backing directory that determines an owner.
package enum StoredClaim {
    /// `path`: below the backing directory. `bytes`: the whole header as stored; nil if unreadable.
    case file(OwnedHeader, path: () -> ByteString, bytes: () -> [UInt8]?)
    /// A directory's default owner for new children, and the directory's user.
    case directory(Identity, user: UInt32)
}

// Searches the tree for evidence of who owns content.
extension Claims {
    /// True once `isWanted` holds for something.
    ///
    /// Searches walk the whole tree, so they run one at a time, fairly by user. `shallGoOn`:
    /// whether the caller is still waiting. Never call this from a thread that serves the mount.
    func hasClaim(
        for user: UInt32, while shallGoOn: () -> Bool, where isWanted: (StoredClaim) -> Bool
    ) throws(SearchEnd) -> Bool {
        var obstacle: (path: ByteString, error: Errno)?
        let found = tree.vault.walks.claims.inTurn(of: user) {
            tree.isServed
                ? hasClaim(where: isWanted, while: shallGoOn) { obstacle = ($0, $1) } : nil
        }
        if let found { return found }
        guard let obstacle else { throw .cutShort }
        let place = obstacle.path.bytes.isEmpty ? "the backing directory" : obstacle.path.shown
        tree.vault.log.warning(
            "\(place) cannot be read: \(obstacle.error); which names are in use behind it cannot "
                + "be told until it is repaired or moved out of the backing directory")
        throw .unreadable
    }
}

/// Why a search did not see the whole tree.
package enum SearchEnd: Error, Equatable {
    /// The caller is gone, or the mount is ending.
    case cutShort
    /// A directory or file was unreadable; the log names it.
    case unreadable
}

extension SearchEnd: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cutShort: "it was cut short"
        case .unreadable:
            "something here cannot be read, and the daemon's log names it: root must repair it, or"
                + " move it out of the backing directory"
        }
    }
}
