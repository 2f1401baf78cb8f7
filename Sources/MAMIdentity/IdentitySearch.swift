// Looks for a process's identity among its ancestors.

internal import MAMModel
internal import MAMSystem

/// Reads /proc from a process upwards. Few look-ups come far: what was found out is remembered for
/// the processes in between.
///
/// Nothing need stand still meanwhile. Before a process's settings change, what its children have
/// inherited is recorded in the same moment: a child without a record was forked under the settings
/// that its parent has in the moment that shows so.
struct IdentitySearch {
    private let table: Guarded<IdentityTable>
    /// How many files of /proc may be read; nil: as many as it takes.
    private let limit: Int?
    private var readCount = 0
    private(set) var found: FoundIdentity?
    /// The processes that inherit it, the one that was asked about first.
    private(set) var heirs: [ProcessLife] = []
    private(set) var end = End.answered

    enum End {
        /// Whether with an identity or without.
        case answered
        /// There is more to read than the limit.
        case tooLong
        /// There are more ancestors than anybody has.
        case tooDeep
    }

    private static let depth = 1024

    init(from process: ProcessStatus, in table: Guarded<IdentityTable>, limit: Int?) {
        (self.table, self.limit) = (table, limit)
        climb(from: process, table.withLock { $0.processes[process.life] })
    }

    private mutating func read(_ process: Int32) -> ProcessStatus? {
        readCount += 1
        return ProcessStatus(of: process)
    }

    private var isTooLong: Bool { limit.map { readCount > $0 } ?? false }

    private mutating func climb(
        from first: ProcessStatus, _ entryOfFirst: IdentityTable.Process?
    ) {
        var (status, entry) = (first, entryOfFirst)
        while heirs.count < Self.depth {
            if let own = entry?.own { return found = own.found(from: .process(status.life.id)) }
            if let inherited = entry?.inherited { return found = inherited }
            heirs.append(status.life)
            guard !isTooLong else { return end = .tooLong }
            // A parent younger than its child is another process with a reused id.
            guard status.parent > 0, let parent = read(status.parent),
                parent.life.startTime <= status.life.startTime
            else { return }
            let child = status.life
            let (record, entryOfParent) = table.withLock {
                ($0.processes[child]?.inherited, $0.processes[parent.life])
            }
            if let record { return found = record }
            if let forker = thread(of: parent, entryOfParent, thatForked: child) {
                return found = forker.inherited(from: parent.life.id)
            }
            guard end == .answered else { return }
            (status, entry) = (parent, entryOfParent)
        }
        end = .tooDeep
    }

    /// The own identity of the thread that forked a process: the kernel lists children by thread,
    /// and hands those of an ended thread to another one of its process.
    private mutating func thread(
        of parent: ProcessStatus, _ entry: IdentityTable.Process?, thatForked child: ProcessLife
    ) -> IdentityTable.Setting? {
        for (thread, setting) in entry?.threads ?? [:] where thread.startTime <= child.startTime {
            readCount += 1
            guard !isTooLong else {
                end = .tooLong
                return nil
            }
            guard childProcesses(ofThread: thread.id, of: parent.life.id).contains(child.id),
                read(thread.id)?.life == thread
            else { continue }
            return setting
        }
        return nil
    }
}
