// What the kernel forgets.

internal import MAMModel
internal import Synchronization

extension Tree {
    /// The kernel evicted an inode that it had looked up `count` times.
    ///
    /// If there are more, the reply to one is on its way, perhaps from before a change: the kernel
    /// makes an inode of it, and with the write-back cache keeps the size and the times. An append
    /// would then overwrite. So opens and questions of it get `ESTALE`, and the name is looked up
    /// again.
    package func kernelForgot(_ node: UInt64, count: UInt64) {
        guard let inode = table.forget(node, count: count), inode.isRegular,
            count > 1 || !table.sentBack.takeDropped(inode),
            inode.mayHaveChanged.load(ordering: .relaxed)
        else { return }
        let isReplaced = inode.withState { state in
            guard state.openCount == 0, !state.isReplaced, !state.isHeld, !state.isConverting else {
                return false
            }
            table.replace(inode, &state)
            return true
        }
        if isReplaced { cache.invalidateSoon(inode) }
    }
}
