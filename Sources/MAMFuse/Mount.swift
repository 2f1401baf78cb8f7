// One mounted workspace: its tree, and the kernel's cache of it.

internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

/// The owner of the transport's context, by which each request finds it.
final class Mount: Sendable {
    let tree: Tree
    /// For reads and writes, which need no reference of their own to the tree then.
    let handles: Handles
    let notifier = Notifier()
    let ownAccesses = OwnAccesses()
    let requestTransport: RequestTransport
    let seekThreads: SeekThreads
    let helpers = Helpers()
    let listings = ListingPool()
    private let purgeQueue: PurgeQueue
    private let attention = AttentionQueue()

    init(of tree: Tree) throws(Errno) {
        self.tree = tree
        handles = Handles(tree)
        requestTransport = try RequestTransport()
        seekThreads = SeekThreads(requestTransport)
        purgeQueue = PurgeQueue(notifier)
    }

    func attach(_ session: OpaquePointer, _ rings: RingUse) throws(Errno) {
        notifier.attach(session)
        try tree.attach(self) { [requestTransport] in
            transportInUse(by: requestTransport, wereAskedFor: rings == .asked)
        }
    }

    /// False if the session must stay.
    func detach() -> Bool {
        helpers.end()
        return notifier.detach(until: Deadline(seconds: 5))
    }
}

extension Mount: KernelCache {
    func invalidate(_ node: UInt64) { notifier.invalidate(node) }

    func invalidate(_ name: Name, in parent: UInt64) { notifier.invalidate(name, in: parent) }

    func invalidateSoon(_ inode: Inode) { purgeQueue.add(inode) }

    func attend(to inode: Inode) { attention.add(inode, of: self) }

    func awaitAttention() { attention.waitBriefly() }

    func prune(_ nodes: [UInt64]) -> Bool { notifier.prune(nodes) }

    func purge(
        _ inodes: [Inode], until deadline: Deadline,
        _ isAffected: @escaping @Sendable (Inode) -> Bool
    ) -> [Inode] {
        CachePurge(inodes, of: self, until: deadline, isAffected).run()
    }
}
