// Extended attributes: the backing file's, and three computed ones.

internal import Glibc
package import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Reads and changes extended attributes, and computes mamd's own.
package struct ExtendedAttributes: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// `user.mam.owner`, `user.mam.class`, `user.mam.state`: computed, read-only and not listed, so
    /// that tools that copy attributes skip them.
    static let virtualPrefix: StaticString = "user.mam."
    private static let trustedPrefix: StaticString = "trusted."

    private func isVirtual(_ name: Name) -> Bool {
        strncmp(name, Self.virtualPrefix.cString, Self.virtualPrefix.utf8CodeUnitCount) == 0
    }

    private func virtualValue(_ name: Name, of inode: Inode) throws(Errno) -> [UInt8] {
        guard inode.isRegular || inode.isDirectory else { throw .noData }
        try Lookup(tree).read(inode)
        let info = Answers(tree).protection(of: inode)
        switch String(cString: name + Self.virtualPrefix.utf8CodeUnitCount) {
        case "owner":
            if inode.isDirectory, info.owner.isNobody { throw .noData }
            return Array(info.owner.description.utf8)
        case "class":
            guard let fileClass = info.fileClass else { throw .noData }
            return Array(fileClass.letter.utf8)
        case "state" where inode.isRegular: return Array(info.state.rawValue.utf8)
        default: throw .noData
        }
    }

    /// Fills the buffer and returns the value's length; with an empty buffer only the length.
    package func extendedAttribute(
        _ name: Name, of node: UInt64, into buffer: UnsafeMutableRawBufferPointer,
        for caller: Caller
    ) throws(Errno) -> Int {
        let inode = try tree.table.inode(node)
        if isCapability(name), buffer.isEmpty {
            if pretendsCapability(of: inode, to: caller.thread) {
                return WriteGuard.attributeByteCount
            }
            if takeLackOfCapability(of: inode) { throw .noData }
            return try storedAttribute(name, of: inode, into: buffer)
        }
        guard !isVirtual(name) else {
            let value = try virtualValue(name, of: inode)
            guard !buffer.isEmpty else { return value.count }
            guard value.count <= buffer.count else { throw .rangeTooSmall }
            buffer.copyBytes(from: value)
            return value.count
        }
        return try storedAttribute(name, of: inode, into: buffer)
    }

    func storedAttribute(
        _ name: Name, of inode: Inode, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        if inode.mayRead {
            do throws(Errno) {
                return try MAMSystem.extendedAttribute(of: inode.handle.raw, name, into: buffer)
            } catch {
                // The inode has since got another file's descriptor, an `O_PATH` one.
                guard error == .badDescriptor else { throw error }
            }
        }
        return try withProcPath(of: inode.handle.raw) { path throws(Errno) in
            try MAMSystem.extendedAttribute(procPath: path, name, into: buffer)
        }
    }

    package func setExtendedAttribute(
        _ name: Name, of node: UInt64, to value: UnsafeRawBufferPointer, flags: Int32,
        for caller: Caller
    ) throws(Errno) {
        if isVirtual(name) { throw .notPermitted }
        let inode = try tree.table.inode(node)
        if isCapability(name) { _ = takeLackOfCapability(of: inode) }
        try tree.metadata.shared { () throws(Errno) in
            try withProcPath(of: inode.handle.raw) { path throws(Errno) in
                try MAMSystem.setExtendedAttribute(path, name, to: value, flags: flags)
            }
        }
        if strcmp(name, "system.posix_acl_access") == 0 {
            try clearSetGroupID(of: inode, for: caller)
        }
    }

    /// The daemon's duty: an ACL changes the mode, which must remove the set-group-ID bit unless
    /// the caller is in the group or has CAP_FSETID.
    private func clearSetGroupID(of inode: Inode, for caller: Caller) throws(Errno) {
        let status = try status(at: inode.handle.raw, "")
        guard status.st_mode & S_ISGID != 0, !caller.isMember(of: status.st_gid),
            !caller.has(.setSetIDBits)
        else { return }
        try Attributes(tree).changeMode(inode, to: status.st_mode & 0o7777 & ~S_ISGID)
    }

    package func removeExtendedAttribute(
        _ name: Name, of node: UInt64, for caller: Caller
    ) throws(Errno) {
        if isVirtual(name) { throw .notPermitted }
        let inode = try tree.table.inode(node)
        if isCapability(name) { return try removeCapability(of: inode, for: caller) }
        try removeExtendedAttribute(name, of: inode)
    }

    package func removeExtendedAttribute(_ name: Name, of inode: Inode) throws(Errno) {
        try tree.metadata.shared { () throws(Errno) in
            try withProcPath(of: inode.handle.raw) { path throws(Errno) in
                try MAMSystem.removeExtendedAttribute(path, name)
            }
        }
    }

    package func listExtendedAttributes(
        of node: UInt64, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        let inode = try tree.table.inode(node)
        let count = try withProcPath(of: inode.handle.raw) { path throws(Errno) in
            try MAMSystem.listExtendedAttributes(path, into: buffer)
        }
        // An empty buffer asks only for the length, for which an upper bound suffices.
        return buffer.isEmpty ? count : removeHiddenNames(from: buffer, count: count, for: caller)
    }

    /// Moves the visible names together; returns their new length. The kernel keeps the values of
    /// trusted attributes from others than administrators, and leaves the names to us.
    private func removeHiddenNames(
        from buffer: UnsafeMutableRawBufferPointer, count: Int, for caller: Caller
    ) -> Int {
        var kept = 0
        for name in buffer[..<count].split(separator: 0) {
            if name.starts(with: Self.virtualPrefix.bytes) { continue }
            if name.starts(with: Self.trustedPrefix.bytes),
                !caller.hasInFirstNamespace(.administer)
            {
                continue
            }
            // Moves forward in place, over bytes that were already read.
            for byte in name + [0] {
                buffer[kept] = byte
                kept += 1
            }
        }
        return kept
    }
}
