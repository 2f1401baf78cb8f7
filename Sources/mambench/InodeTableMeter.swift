// The inode table, filled with files that do not exist.

import Glibc
import MAMModel
import MAMStore
import MAMSystem
import MAMTree

/// An inode table with entries as look-ups leave them: a number, a descriptor and a name each.
struct InodeTableMeter: ~Copyable {
    /// Descriptors from here on are never open: closing one makes the system call, which fails.
    private static let firstDescriptor: Int32 = 1 << 30
    private let table: InodeTable

    init(root: Descriptor) throws(Errno) {
        table = InodeTable(root: root, status: try status(of: root.raw), nil)
    }

    /// Adds a file and returns its node id.
    func insert(_ file: UInt64, _ facts: FileFacts) -> UInt64 {
        var status = stat()
        status.st_ino = ino_t(file)
        status.st_mode = S_IFREG | 0o600
        let handle = Descriptor(owning: Self.firstDescriptor + Int32(file))
        let inode = table.insert(
            FoundFile(handle: handle, status: status, mayRead: true), facts)
        "name".withCString { inode.wasFound($0, in: InodeTable.rootNode) }
        return inode.node
    }

    /// Finds a file by its node id, as each request does.
    func find(node: UInt64) throws(Errno) { _ = try table.inode(node) }

    /// Finds a known file by its inode number, as a look-up does; false if it is not known.
    func lookUp(_ file: UInt64) -> Bool {
        table.lookUp(BackingID(device: 0, inode: file)) != nil
    }

    /// Forgets all look-ups of a node.
    func forget(node: UInt64) { table.forget(node, count: .max) }
}
