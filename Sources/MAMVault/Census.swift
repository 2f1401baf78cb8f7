// How many files are whose, in which class and state.

package import MAMModel

/// What a walk through the tree has counted.
package struct Census: Sendable {
    /// What tells files apart.
    package struct Kind: Sendable, Hashable {
        package let ownerName: String
        package let ownerObjectID: String
        /// Nil for what is not encrypted.
        package let fileClass: ProtectionClass?
        package let state: ProtectionState
    }

    package struct Sum: Sendable {
        package var files: Int64 = 0
        /// As their readers see them.
        package var bytes: Int64 = 0
        /// What they take on the disk.
        package var storedBytes: Int64 = 0

        mutating func add(_ bytes: Int64, stored: Int64) {
            files += 1
            self.bytes.add(saturating: bytes)
            storedBytes.add(saturating: stored)
        }
    }

    package private(set) var sums: [Kind: Sum] = [:]
    package private(set) var total = Sum()
    package var directories: Int64 = 0
    /// Links, pipes, sockets, devices.
    package var others: Int64 = 0
    /// Could not be looked at.
    package var unreadable: Int64 = 0
    /// Files of owners beyond ``limit``, and names of files that might have been counted already.
    package private(set) var uncounted: Int64 = 0

    /// Headers come with backups, from anywhere: each could name another owner.
    private static let limit = 1000

    package init() {}

    /// Leaves a file out of the sums, and says so.
    package mutating func skip() { uncounted += 1 }

    package mutating func add(_ kind: Kind, bytes: Int64, stored: Int64) {
        total.add(bytes, stored: stored)
        guard sums[kind] != nil || sums.count < Self.limit else {
            uncounted += 1
            return
        }
        sums[kind, default: Sum()].add(bytes, stored: stored)
    }
}

extension Census.Kind {
    package init(_ owner: Identity, _ fileClass: ProtectionClass?, _ state: ProtectionState) {
        (ownerName, ownerObjectID) = (owner.name, owner.objectID)
        (self.fileClass, self.state) = (fileClass, state)
    }
}
