// All inodes known to the kernel.

package import Glibc
internal import MAMLocks
package import MAMModel
package import MAMStore
package import MAMSystem
internal import Synchronization

/// Finds inodes by kernel number and by backing identity. Its lock is held for look-ups only, never
/// across I/O.
package final class InodeTable: Sendable {
    package static let rootNode = NodeNumber.root.node

    private struct Tables {
        package var byNode: [UInt64: Inode] = [:]
        package var byID: [BackingID: Inode] = [:]

        package mutating func remove(_ inode: Inode) {
            for id in [inode.id, inode.backingID] where byID[id] === inode { byID[id] = nil }
        }
    }

    private let tables = Guarded(Tables())
    private let numbers: NodeNumbers
    private let nextOrder = Atomic<UInt64>(1)
    /// Changed under the lock.
    private let knownCount = Atomic<Int>(1)

    private let losses = Atomic<Int>(0)
    private let evictions = Atomic<Int>(0)
    /// Files whose inode was replaced of late, until opens that were sent back have come again.
    private let replaced = Guarded<[BackingID: Deadline]>([:])
    package let sentBack = SentBack()

    package init(root: Descriptor, status: stat, _ handles: FileHandles?) {
        numbers = NodeNumbers(handles)
        let found = FoundFile(handle: root, status: status, mayRead: false)
        let inode = Inode(.root, order: 0, found, facts: nil)
        tables.withLock { tables in
            tables.byNode[inode.node] = inode
            tables.byID[inode.id] = inode
        }
    }

    /// The inode of a kernel number; `ESTALE` if the kernel should have forgotten it.
    package func inode(_ node: UInt64) throws(Errno) -> Inode {
        guard let inode = tables.withLock({ $0.byNode[node] }) else { throw .staleHandle }
        return inode
    }

    /// The inode if it is known; leaves the look-up count unchanged.
    package func known(_ id: BackingID) -> Inode? { tables.withLock { $0.byID[id] } }

    /// Increments the look-up count of a known inode; nil if unknown.
    package func lookUp(_ id: BackingID) -> Inode? {
        tables.withLock { tables in
            guard let inode = tables.byID[id] else { return nil }
            inode.lookups.add(1, ordering: .relaxed)
            return inode
        }
    }

    /// Increments the look-up count of an inode that the kernel still holds.
    package func lookUpAgain(_ inode: Inode) {
        tables.withLock { _ in _ = inode.lookups.add(1, ordering: .relaxed) }
    }

    /// Adds an inode with a look-up count of one, unless another thread was first.
    package func insert(_ found: FoundFile, _ facts: FileFacts?) -> Inode {
        insert(found, facts, numbers.number(of: found.handle))
    }

    /// For a file of a listing, whose header is read later.
    func insert(unread found: FoundFile) -> Inode {
        insert(found, nil, numbers.number(of: found.handle), isListed: true)
    }

    /// For a file that the daemon has just made. `number`: ``lastingNumber(of:)``.
    package func insert(_ found: FoundFile, _ facts: FileFacts?, new number: NodeNumber?) -> Inode {
        insert(found, facts, number ?? numbers.next(), isNew: true)
    }

    /// Nil if the file gets a number for this daemon alone.
    package func lastingNumber(of file: Descriptor) -> NodeNumber? {
        numbers.lastingNumber(of: file)
    }

    private func insert(
        _ found: FoundFile, _ facts: FileFacts?, _ number: NodeNumber, isListed: Bool = false,
        isNew: Bool = false
    ) -> Inode {
        // Created before locking: if two threads look the file up at once, one of the inodes is
        // unused.
        let order = nextOrder.add(1, ordering: .relaxed).oldValue
        let first = Inode(
            number, order: order, found, facts: facts, isListed: isListed, isNew: isNew)
        return tables.withLock { tables in
            if let known = tables.byID[first.id] {
                known.lookups.add(1, ordering: .relaxed)
                return known
            }
            var new = first
            // The kernel may still use that number for the file's former identity.
            while tables.byNode[new.node] != nil {
                new = Inode(
                    numbers.next(), order: order, found, facts: facts, isListed: isListed,
                    isNew: isNew)
            }
            tables.byNode[new.node] = new
            tables.byID[new.id] = new
            knownCount.store(tables.byNode.count, ordering: .relaxed)
            new.lookups.add(1, ordering: .relaxed)
            return new
        }
    }

    /// Drops `count` look-ups. Returns the inode if others are left.
    @discardableResult
    package func forget(_ node: UInt64, count: UInt64) -> Inode? {
        guard node != Self.rootNode else { return nil }
        // Freed outside the lock, because closing a descriptor may block.
        let (known, isGone): (Inode?, Bool) = tables.withLock { tables in
            guard let inode = tables.byNode[node] else { return (nil, true) }
            let left = inode.lookups.load(ordering: .relaxed)
            inode.lookups.store(left - min(count, left), ordering: .relaxed)
            guard left <= count else { return (inode, false) }
            if inode.mayHaveChanged.load(ordering: .relaxed) {
                evictions.add(1, ordering: .sequentiallyConsistent)
            }
            tables.byNode[node] = nil
            knownCount.store(tables.byNode.count, ordering: .relaxed)
            tables.remove(inode)
            return (inode, true)
        }
        guard isGone else { return known }
        sentBack.isForgotten(node)
        return nil
    }

    /// The next look-up of this file gives it another number, because the kernel keeps the size
    /// that it knows for this one.
    ///
    /// `state`: the inode's. Opens that read it get `ESTALE`, whereupon the kernel looks
    /// the name up once more, and only once: so no look-up may find the inode any more.
    package func replace(_ inode: Inode, _ state: inout Inode.State) {
        countLoss()
        tables.withLock { $0.remove(inode) }
        replaced.withLock { replaced in
            replaced = replaced.filter { !$0.value.hasPassed }
            replaced[inode.backingID] = Deadline(seconds: Self.secondsForOpens)
        }
        state.isReplaced = true
    }

    /// Before a file's inode is replaced: if it is the second time, an open that the first one sent
    /// back may have found this one now, and a second `ESTALE` would be the program's.
    package func awaitOpens(of inode: Inode) {
        replaced.withLock { $0[inode.backingID] }?.wait()
    }

    private static let secondsForOpens = 1

    /// Also registers the inode under the file that it is about to refer to.
    package func add(_ id: BackingID, of inode: Inode) {
        tables.withLock { $0.byID[id] = inode }
    }

    /// The inode does not refer to that file any more; no name leads to it.
    package func remove(_ id: BackingID, of inode: Inode) {
        countLoss()
        // Its first file stays registered while the inode is known, because its number is the one
        // shown.
        guard id != inode.id else { return }
        disown(id, by: inode)
    }

    /// That number is another file's now. The inode's users keep what they have open.
    package func disown(_ id: BackingID, by inode: Inode) {
        tables.withLock { if $0.byID[id] === inode { $0.byID[id] = nil } }
    }

    /// Counted before the file can be missed, so that a thread that misses it sees the count
    /// change.
    private func countLoss() { losses.add(1, ordering: .sequentiallyConsistent) }

    /// How often a file lost its inode. A thread that finds a file by name and then looks for its
    /// inode checks whether this happened in between.
    package var lossCount: Int { losses.load(ordering: .sequentiallyConsistent) }

    /// How often a file that may have changed lost its last look-up, counted before it can be
    /// missed. A thread that had read a file's status before reads it anew: the kernel no longer
    /// knows a better one.
    package var evictionCount: Int { evictions.load(ordering: .sequentiallyConsistent) }

    /// Every look-up of a new inode reads it, so without the lock.
    package var count: Int { knownCount.load(ordering: .relaxed) }

    /// A snapshot of all inodes.
    package var all: [Inode] { tables.withLock { Array($0.byNode.values) } }
}
