// io.mamd.Report's types Sum and Totals.

package import MAMModel

/// The files of one owner, class and state.
package struct CensusSum: Sendable, Equatable {
    package let owner: String
    package let ownerObjectID: String
    /// Nil for what is not encrypted.
    package let fileClass: ProtectionClass?
    package let state: String
    package let files: Int
    package let bytes: Int
    package let storedBytes: Int

    package init(
        owner: String, ownerObjectID: String, fileClass: ProtectionClass?, state: String,
        files: Int, bytes: Int, storedBytes: Int
    ) {
        self.owner = owner
        self.ownerObjectID = ownerObjectID
        self.fileClass = fileClass
        self.state = state
        self.files = files
        self.bytes = bytes
        self.storedBytes = storedBytes
    }

    package init(_ wire: Parameters) throws(VarlinkError) {
        owner = try wire.string("owner")
        ownerObjectID = try wire.string("ownerObjectId")
        let letter = try wire.optionalString("class")
        fileClass = letter.flatMap { ProtectionClass($0) }
        guard letter == nil || fileClass != nil else { throw .invalidParameter("class") }
        state = try wire.string("state")
        files = try wire.integer("files")
        bytes = try wire.integer("bytes")
        storedBytes = try wire.integer("storedBytes")
    }

    package var json: JSONValue {
        [
            "owner": .string(owner), "ownerObjectId": .string(ownerObjectID),
            "class": JSONValue(fileClass?.letter), "state": .string(state),
            "files": JSONValue(files), "bytes": JSONValue(bytes),
            "storedBytes": JSONValue(storedBytes),
        ]
    }
}

/// How far a census is, and in the end all that it counted.
package struct CensusTotals: Sendable, Equatable {
    package var files = 0
    package var bytes = 0
    package var storedBytes = 0
    package var directories = 0
    package var others = 0
    package var unreadable = 0
    package var uncounted = 0

    package init() {}

    package init(_ wire: Parameters) throws(VarlinkError) {
        files = try wire.integer("files")
        bytes = try wire.integer("bytes")
        storedBytes = try wire.integer("storedBytes")
        directories = try wire.integer("directories")
        others = try wire.integer("others")
        unreadable = try wire.integer("unreadable")
        uncounted = try wire.integer("uncounted")
    }

    package var json: JSONValue {
        [
            "files": JSONValue(files), "bytes": JSONValue(bytes),
            "storedBytes": JSONValue(storedBytes), "directories": JSONValue(directories),
            "others": JSONValue(others), "unreadable": JSONValue(unreadable),
            "uncounted": JSONValue(uncounted),
        ]
    }
}
