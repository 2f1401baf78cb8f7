// Which identity a process acts under: its own, or that of the nearest ancestor that has one.

package import MAMModel
package import MAMSystem
internal import Synchronization

/// Identities given to processes, each tied to one life of one process id.
package final class ProcessIdentities: Sendable {
    private let table = Mutex<[Int32: Entry]>([:])

    private struct Entry {
        let life: ProcessLife
        let identity: Identity
    }

    package init() {}

    /// Gives a process an identity, or takes it away with nil. False if that life of it has ended.
    package func set(_ identity: Identity?, for life: ProcessLife) -> Bool {
        guard ProcessStatus(of: life.id)?.life == life else { return false }
        table.withLock { table in
            table = table.filter { ProcessStatus(of: $0.key)?.life == $0.value.life }
            table[life.id] = identity.map { Entry(life: life, identity: $0) }
        }
        return true
    }

    /// Takes an identity away from all who have it.
    func remove(_ identity: Identity) {
        table.withLock { table in table = table.filter { !$0.value.identity.matches(identity) } }
    }

    /// The identity that a thread acts under; nil if neither its process nor an ancestor has one.
    ///
    /// A thread id of 0 is the kernel's, or comes from another process id namespace: no identity.
    package func identity(ofThread thread: Int32) -> Identity? {
        let known = table.withLock { $0 }
        guard !known.isEmpty, thread > 0, var process = processID(ofThread: thread) else {
            return nil
        }
        // Parents that come and go can make no loop longer than this.
        for _ in 0..<1024 {
            guard process > 0, let status = ProcessStatus(of: process) else { return nil }
            if let entry = known[process], entry.life == status.life { return entry.identity }
            process = status.parent
        }
        return nil
    }
}
