// Finds a file whose path is unknown.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Limits concurrent searches: each occupies a serving thread while it reads all directories.
package final class Searches: Sendable {
    private static let maximumCount = 2
    private let count = Atomic<Int>(0)

    /// `EAGAIN` at the limit: an NFS client tries again.
    func run<Value>(_ search: () throws(Errno) -> Value) throws(Errno) -> Value {
        defer { count.subtract(1, ordering: .relaxed) }
        guard count.add(1, ordering: .relaxed).oldValue < Self.maximumCount else {
            throw .wouldBlock
        }
        return try search()
    }
}

extension Tree {
    /// Searches all directories for a file's inode number, because an inode does not know its
    /// names. Opens only directories. `ESTALE` if it is in none.
    func search(for number: UInt64, inode: UInt64) throws(Errno) -> Entry {
        try searches.run { () throws(Errno) in
            var stack = WalkStack(self, at: ByteString(""))
            defer { stack.leaveAll() }
            try stack.enter(table.inode(InodeTable.rootNode))
            while let directory = stack.last, !isStopping {
                guard let item = nextItem(&stack) else { continue }
                let mayBe = item.number == inode
                guard mayBe || item.kind == DT_DIR || item.kind == DT_UNKNOWN,
                    let entry = try? Lookup(self).lookUp(item.name.cString, in: directory.node)
                else { continue }
                if entry.inode.node == number, !entry.inode.isReplaced { return entry }
                enter(entry.inode, &stack)
            }
            throw .staleHandle
        }
    }

    /// Nil at the end of a directory, or when reading it fails.
    private func nextItem(_ stack: inout WalkStack) -> DirectoryStream.KeptItem? {
        if let item = try? stack.next() { return item }
        try? stack.leave()
        return nil
    }

    private func enter(_ inode: Inode, _ stack: inout WalkStack) {
        if inode.isDirectory {
            try? stack.enter(inode)
        } else {
            leave(inode.node)
        }
    }
}
