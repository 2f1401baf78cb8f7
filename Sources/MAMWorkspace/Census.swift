// Counts files by owner, class and state.

package import MAMModel

/// The counts of a walk through the tree.
package struct Census: Sendable {
    /// What files are grouped by.
    package struct Kind: Sendable, Hashable {
        package let ownerName: String
        package let ownerObjectID: String
        /// Nil if not encrypted.
        package let fileClass: ProtectionClass?
        package let state: ProtectionState
    }

    package struct Sum: Sendable {
        package var files: Int64 = 0
        /// Plain sizes.
        package var bytes: Int64 = 0
        /// Allocated space on disk.
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
    /// Links, FIFOs, sockets, devices.
    package var others: Int64 = 0
    /// Files that could not be examined.
    package var unreadable: Int64 = 0
    /// Files of owners beyond ``limit``, and further links to files that may already be counted.
    package private(set) var uncounted: Int64 = 0

    /// A restored backup may contain any headers, each naming another owner.
    private static let limit = 1000

    package init() {}

    /// Counts a file as left out of the sums.
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
