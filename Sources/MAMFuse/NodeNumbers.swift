// The numbers by which the kernel asks for inodes.

internal import CFuse3
internal import MAMSystem
internal import Synchronization

struct NodeNumber {
    let node: UInt64
    let generation: UInt32

    static let root = NodeNumber(node: UInt64(FUSE_ROOT_ID), generation: 0)
}

/// A number that lasts is the file's own (``FileHandles``): it is the same when the kernel has
/// forgotten the file, and for the next daemon. Every other number is given once in the life of a
/// daemon, with a generation of that life: a handle of an earlier daemon matches none.
final class NodeNumbers: Sendable {
    private let handles: FileHandles?
    private let nextNode = Atomic<UInt64>(NodeNumber.root.node + 1)
    private let generation = UInt32.random(in: NodeNumbers.lastingGeneration + 1 ... .max)

    private static let lastingGeneration: UInt32 = 1

    init(_ handles: FileHandles?) { self.handles = handles }

    func number(of found: FoundFile) -> NodeNumber {
        guard let node = handles?.number(of: found.handle) else { return next() }
        return NodeNumber(node: node, generation: Self.lastingGeneration)
    }

    func next() -> NodeNumber {
        NodeNumber(
            node: nextNode.add(1, ordering: .relaxed).oldValue, generation: generation)
    }
}
