// The kernel's numbers for inodes.

internal import CShims
internal import MAMModel
package import MAMSystem
internal import Synchronization

package struct NodeNumber {
    package let node: UInt64
    package let generation: UInt32

    /// FUSE_ROOT_ID of linux/fuse.h.
    package static let root = NodeNumber(node: 1, generation: 0)
}

/// A permanent number is derived from the file (``FileHandles``): it stays the same after the
/// kernel forgets the file, and in the next daemon. Any other number is used once per daemon, with
/// that daemon's generation: file handles of an earlier daemon match none.
package final class NodeNumbers: Sendable {
    private let handles: FileHandles?
    private let nextNode = Atomic<UInt64>(NodeNumber.root.node + 1)
    private let generation = UInt32.random(in: NodeNumbers.lastingGeneration + 1 ... .max)

    private static let lastingGeneration: UInt32 = 1

    package init(_ handles: FileHandles?) { self.handles = handles }

    package func number(of file: Descriptor) -> NodeNumber { lastingNumber(of: file) ?? next() }

    package func lastingNumber(of file: Descriptor) -> NodeNumber? {
        guard let node = handles?.number(of: file) else { return nil }
        return NodeNumber(node: node, generation: Self.lastingGeneration)
    }

    package func next() -> NodeNumber {
        NodeNumber(
            node: nextNode.add(1, ordering: .relaxed).oldValue, generation: generation)
    }
}

// File systems that give a file's number away while the daemon still knows the file.
extension Tree {
    /// Before a file that was just found or made is looked up by its number: drops the inode of
    /// another file that had it. A file system in a program, such as ntfs-3g, does not hear of our
    /// descriptors of its files, and gives a removed file's number to the next.
    package func dropFormer(of id: BackingID) {
        guard repeatsNumbers, let inode = table.known(id), !isRight(inode, for: id) else { return }
        // A conversion registers the new file's number before the inode refers to it.
        names.shared { if !isRight(inode, for: id) { table.disown(id, by: inode) } }
    }

    /// False if the number is another file's now.
    func isRight(_ inode: Inode, for id: BackingID) -> Bool { !repeatsNumbers || inode.holds(id) }

    /// The inode of a file in the mount. The kernel may show a former `number`, and that may be
    /// another file's by now: then the daemon's own number counts, which never changes. It also
    /// finds an inode that was replaced (``InodeTable/replace(_:_:)``).
    package func inode(of file: Descriptor, shownAs number: UInt64) -> Inode? {
        let known = table.known(BackingID(device: rootDevice, inode: number))
        if !repeatsNumbers, let known { return known }
        let node = mam_fuse_node(file.raw)
        return node == 0 ? known : try? table.inode(node)
    }

    /// In the mount's attributes: a file's first number, unless that may be another file's by now.
    package func shownNumber(of inode: Inode) -> UInt64 {
        (repeatsNumbers ? inode.backingID : inode.id).inode
    }
}

extension Inode {
    /// Whether it refers to the file that has this number now.
    fileprivate func holds(_ id: BackingID) -> Bool { backingID == id && id.isStill(of: handle) }
}

extension BackingID {
    /// Whether the file that the descriptor leads to has this number, and a name; asked past the
    /// kernel's cache.
    package func isStill(of file: Descriptor) -> Bool { mam_is_still(file.raw, inode) != 0 }
}
