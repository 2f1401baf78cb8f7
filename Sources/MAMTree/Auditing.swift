// Audits refusals on the mount, with the file and the caller, which only the mount knows.

internal import Glibc
package import MAMFormat
package import MAMModel
internal import MAMSystem
package import MAMVault

/// What a program tried to do with a file.
package enum FileOperation: String {
    case open, create, read
    /// On an open file: the kernel asks before it writes into its cache or reports the size.
    case use
    case write
}

/// Records refused operations.
package struct Auditing: Sendable {
    package let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// Makes a vault call on behalf of a caller; turns a failure into the caller's errno, and
    /// records a refusal.
    ///
    /// `header`: the file's, if known. `child`: the name to be created in the inode.
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
