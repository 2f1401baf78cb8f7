// What the method Wipe answers.

package import MAMModel
internal import MAMSystem
internal import MAMVault

/// What came of a wipe.
package struct WipeReport: Sendable {
    package let isComplete: Bool
    /// How many were removed.
    package let fileCount: Int
    /// Of the last look at the whole tree: files, and those that a key of the account still opens.
    package let scanned: Int
    package let opened: Int
    /// Paths below the backing directory, the first of them if they are many.
    package let left: [String]
    package let stragglers: [StragglerReport]

    private static let namedCount = 100

    init(_ outcome: WipeOutcome) {
        isComplete = outcome.isComplete
        fileCount = outcome.files.count
        scanned = outcome.files.scanned
        opened = outcome.files.found
        left = outcome.files.left.prefix(Self.namedCount).map(\.wireText)
        stragglers = outcome.stragglers.map { StragglerReport($0) }
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        isComplete = try wire.bool("complete")
        fileCount = try wire.integer("files")
        scanned = try wire.integer("scanned")
        opened = try wire.integer("opened")
        left = try wire.strings("left")
        var stragglers: [StragglerReport] = []
        for straggler in try wire.objects("stragglers") {
            stragglers.append(try StragglerReport(straggler))
        }
        self.stragglers = stragglers
    }

    /// The members of the wire form.
    package var members: [String: JSONValue] {
        [
            "complete": .bool(isComplete),
            "files": JSONValue(fileCount),
            "scanned": JSONValue(scanned), "opened": JSONValue(opened),
            "left": .array(left.map { .string($0) }),
            "stragglers": .array(stragglers.map(\.json)),
        ]
    }
}
