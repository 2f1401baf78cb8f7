// What the method Wipe answers.

package import MAMModel

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

    package init(
        isComplete: Bool, fileCount: Int, scanned: Int, opened: Int, left: [String],
        stragglers: [StragglerReport]
    ) {
        self.isComplete = isComplete
        self.fileCount = fileCount
        self.scanned = scanned
        self.opened = opened
        self.left = left
        self.stragglers = stragglers
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
