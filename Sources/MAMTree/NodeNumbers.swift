// The numbers by which the kernel asks for inodes.

package import MAMSystem
internal import Synchronization

package struct NodeNumber {
    package let node: UInt64
    package let generation: UInt32

    /// FUSE_ROOT_ID of linux/fuse.h.
    package static let root = NodeNumber(node: 1, generation: 0)
}

/// A number that lasts is the file's own (``FileHandles``): it is the same when the kernel has
/// forgotten the file, and for the next daemon. Every other number is given once in the life of a
/// daemon, with a generation of that life: a handle of an earlier daemon matches none.
package final class NodeNumbers: Sendable {
    private let handles: FileHandles?
    private let nextNode = Atomic<UInt64>(NodeNumber.root.node + 1)
    private let generation = UInt32.random(in: NodeNumbers.lastingGeneration + 1 ... .max)

    private static let lastingGeneration: UInt32 = 1

    package init(_ handles: FileHandles?) { self.handles = handles }

    package func number(of found: FoundFile) -> NodeNumber {
        guard let node = handles?.number(of: found.handle) else { return next() }
        return NodeNumber(node: node, generation: Self.lastingGeneration)
    }

    package func next() -> NodeNumber {
        NodeNumber(
            node: nextNode.add(1, ordering: .relaxed).oldValue, generation: generation)
    }
}
