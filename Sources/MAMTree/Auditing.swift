// Telling the audit what was refused on the mount, with the file and the caller that only the mount
// knows.

internal import Glibc
package import MAMFormat
internal import MAMModel
package import MAMSystem
package import MAMVault

/// What a program wanted of a file.
package enum FileOperation: String {
    case open, create, read
    /// Of a file that is open: what the kernel asks before it writes into its cache, or tells the
    /// size.
    case use
    case write
}

/// Records what a program was refused.
package struct Auditing: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Runs a vault call for a caller; a failure becomes the program's errno, and a refusal is
    /// recorded.
    ///
    /// `header`: of the file as far as it is known. `child`: the name that is to be made in the
    /// inode.
    @inline(__always)
    package func auditing<Value>(
        _ operation: FileOperation, _ inode: Inode, _ header: @autoclosure () -> FileHeader?,
        child: Name? = nil, for caller: Caller,
        _ call: () throws(VaultError) -> Value
    ) throws(Errno) -> Value {
        do throws(VaultError) { return try call() } catch {
            record(error, of: operation, inode, header(), child: child, for: caller)
            throw error.errno
        }
    }

    package func record(
        _ error: VaultError, of operation: FileOperation, _ inode: Inode, _ header: FileHeader?,
        child: Name? = nil, for caller: Caller
    ) {
        var hasher = Hasher()
        hasher.combine(inode.node)
        if let child { hasher.combine(String(cString: child)) }
        FileAudit(tree.vault).audit(
            refusal: error, of: operation.rawValue, owner: header?.owner ?? .nobody,
            fileClass: header?.sealing?.protectionClass,
            file: UInt64(UInt(bitPattern: hasher.finalize())), errno: error.errno,
            thread: caller.thread, user: caller.user
        ) {
            let place = tree.relativePath(of: inode)
            guard let child else { return place }
            return (place ?? ByteString("")).appending(ByteString(cString: child))
        }
    }
}
