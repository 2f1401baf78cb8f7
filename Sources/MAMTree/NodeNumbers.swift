// The kernel's numbers for inodes.

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
