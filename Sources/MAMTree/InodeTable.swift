// All inodes that the kernel knows.

package import Glibc
package import MAMStore
package import MAMSystem
internal import Synchronization

/// Finds inodes by the kernel's number and by backing identity. Its lock is held for look-ups only,
/// never over I/O.
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

    package init(root: Descriptor, status: stat, _ handles: FileHandles?) {
        numbers = NodeNumbers(handles)
        let found = FoundFile(handle: root, status: status, mayRead: false)
        let inode = Inode(.root, order: 0, found, facts: nil)
        tables.withLock { tables in
            tables.byNode[inode.node] = inode
            tables.byID[inode.id] = inode
        }
    }

    /// The inode of a number that the kernel sent; `ESTALE` for one it should have forgotten.
    package func inode(_ node: UInt64) throws(Errno) -> Inode {
        guard let inode = tables.withLock({ $0.byNode[node] }) else { throw .staleHandle }
        return inode
    }

    /// The inode if the kernel knows it; the kernel's count stays.
    package func known(_ id: BackingID) -> Inode? { tables.withLock { $0.byID[id] } }

    /// Counts one more look-up of a known inode; nil if it is not known.
    package func lookUp(_ id: BackingID) -> Inode? {
        tables.withLock { tables in
            guard let inode = tables.byID[id] else { return nil }
            inode.lookups.add(1, ordering: .relaxed)
            return inode
        }
    }

    /// Counts one more look-up of an inode that the kernel has held.
    package func lookUpAgain(_ inode: Inode) {
        tables.withLock { _ in _ = inode.lookups.add(1, ordering: .relaxed) }
    }

    /// Adds an inode and counts its first look-up; another thread may have been faster.
    package func insert(_ found: FoundFile, _ facts: FileFacts?) -> Inode {
        // Made before the lock is taken: two threads make inodes known at once, and one may stay
        // unused.
        let order = nextOrder.add(1, ordering: .relaxed).oldValue
        let first = Inode(numbers.number(of: found), order: order, found, facts: facts)
        return tables.withLock { tables in
            if let known = tables.byID[first.id] {
                known.lookups.add(1, ordering: .relaxed)
                return known
            }
            var new = first
            // The kernel still knows the file by its number as what it is no longer.
            while tables.byNode[new.node] != nil {
                new = Inode(numbers.next(), order: order, found, facts: facts)
            }
            tables.byNode[new.node] = new
            tables.byID[new.id] = new
            knownCount.store(tables.byNode.count, ordering: .relaxed)
            new.lookups.add(1, ordering: .relaxed)
            return new
        }
    }

    /// The kernel forgot `count` look-ups.
    package func forget(_ node: UInt64, count: UInt64) {
        guard node != Self.rootNode else { return }
        // Freed outside the lock: closing a descriptor may take long.
        let gone: Inode? = tables.withLock { tables in
            guard let inode = tables.byNode[node] else { return nil }
            let left = inode.lookups.load(ordering: .relaxed)
            inode.lookups.store(left - min(count, left), ordering: .relaxed)
            guard left <= count else { return nil }
            tables.byNode[node] = nil
            knownCount.store(tables.byNode.count, ordering: .relaxed)
            tables.remove(inode)
            return inode
        }
        withExtendedLifetime(gone) {}
    }

    /// The next look-up of this file gives it another number: the kernel keeps the size that it
    /// knows for this one.
    package func disown(_ inode: Inode) {
        countLoss()
        tables.withLock { $0.remove(inode) }
    }

    /// Finds an inode by another file too, which it is about to be.
    package func add(_ id: BackingID, of inode: Inode) {
        tables.withLock { $0.byID[id] = inode }
    }

    /// It is not that file, or not any more; no name leads there by now.
    package func remove(_ id: BackingID, of inode: Inode) {
        countLoss()
        // By its first file it is found as long as it is known: the number that it shows is that
        // one's.
        guard id != inode.id else { return }
        tables.withLock { tables in if tables.byID[id] === inode { tables.byID[id] = nil } }
    }

    /// Before the file can be missed: who misses it then sees that.
    private func countLoss() { losses.add(1, ordering: .sequentiallyConsistent) }

    /// How often a file ceased to be an inode's. Who finds a file by its name and then asks for the
    /// file's inode has to know whether that happened in between.
    package var lossCount: Int { losses.load(ordering: .sequentiallyConsistent) }

    /// Of every new inode's look-up the question: asked without the lock.
    package var count: Int { knownCount.load(ordering: .relaxed) }

    /// All inodes at this moment.
    package var all: [Inode] { tables.withLock { Array($0.byNode.values) } }
}
