// The table of inodes, filled with files that are nowhere.

import Glibc
import MAMStore
import MAMSystem
import MAMTree

/// A table of files, each with its own number, descriptor and name, as look-ups leave them.
struct InodeTableMeter: ~Copyable {
    /// No process has so many: closing one of these costs the call and does nothing.
    private static let firstDescriptor: Int32 = 1 << 30
    private let table: InodeTable

    init(root: Descriptor) throws(Errno) {
        table = InodeTable(root: root, status: try status(of: root.raw), nil)
    }

    /// The kernel's number of a file that becomes known.
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

    /// As each request finds its file.
    func find(node: UInt64) throws(Errno) { _ = try table.inode(node) }

    /// As a look-up finds a file that is known; false if it is not.
    func lookUp(_ file: UInt64) -> Bool {
        table.lookUp(BackingID(device: 0, inode: file)) != nil
    }

    /// All look-ups of it.
    func forget(node: UInt64) { table.forget(node, count: .max) }
}
