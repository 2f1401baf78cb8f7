// The audit of all machines, in the order of time.

internal import MAMFleet
package import MAMModel

/// Merges the machines' files. Holds one report of each at a time, however long the files are.
package struct FleetAudit {
    private var files: [MachineID: AuditFile] = [:]
    /// The machines with an item to read: a heap by its time.
    private var heap: [(time: Int64, machine: MachineID)] = []
    private let directory: OrganizationDirectory
    private let organization: Bytes16
    /// Files that were left out, in whole or from some line on, since the last look.
    package private(set) var unusable: [UnusableFile] = []
    private let isIncluded: (RegisteredMachine) -> Bool

    /// `isIncluded`: whether a machine's audit is read.
    package init(
        _ directory: OrganizationDirectory, of organization: Bytes16,
        _ isIncluded: @escaping (RegisteredMachine) -> Bool
    ) {
        (self.directory, self.organization, self.isIncluded) = (directory, organization, isIncluded)
        lookAgain()
    }

    /// Looks for new machines, and for more of those that had come to their end.
    package mutating func lookAgain() {
        let suffix = ".jsonl"
        let listing = Listing(directory, OrganizationDirectory.audits, suffix: suffix)
        unusable = listing.unusable
        for name in listing.names {
            guard let id = MachineID(hex: stem(name, suffix)), files[id] == nil else { continue }
            switch directory.registered(directory.machineFile(id)) {
            case nil: continue
            case .failure(let file): unusable.append(file)
            case .success(let entry) where isIncluded(entry):
                files[id] = AuditFile(directory.whole(name), of: entry, in: organization)
            case .success: continue
            }
        }
        let waiting = Set(heap.map(\.machine))
        for id in files.keys where !waiting.contains(id) { push(id) }
    }

    /// The oldest item that was not taken yet; nil if there is none for now.
    package mutating func next() -> (entry: RegisteredMachine, time: Int64, item: AuditItem)? {
        guard let (time, id) = pop(), let entry = files[id]?.entry, let item = files[id]?.take()
        else { return nil }
        push(id)
        return (entry, time, item)
    }

    // MARK: The heap

    private mutating func push(_ id: MachineID) {
        guard let time = files[id]?.nextTime() else {
            if let error = files[id]?.failure {
                unusable.append(UnusableFile(name: directory.auditFile(id), reason: "\(error)"))
            }
            return
        }
        heap.append((time, id))
        var child = heap.count - 1
        while child > 0, heap[child].time < heap[(child - 1) / 2].time {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func pop() -> (time: Int64, machine: MachineID)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while let child = (2 * parent + 1..<min(2 * parent + 3, heap.count))
            .min(by: { heap[$0].time < heap[$1].time }), heap[child].time < heap[parent].time
        {
            heap.swapAt(parent, child)
            parent = child
        }
        return first
    }
}
