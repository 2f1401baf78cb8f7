// The type KeyExport of io.mamd.Recovery.

package import MAMModel

/// What the socket tells of a file of exported keys.
package struct KeyExportReport: Sendable, Equatable {
    package let id: String
    package let name: String
    package let objectID: String
    /// Seconds since 1970.
    package let written: Int
    /// The first digits of the public key that it is sealed to; nil: sealed under a passphrase.
    package let recoveryKey: String?

    package init(
        id: String, name: String, objectID: String, written: Int, recoveryKey: String?
    ) {
        self.id = id
        self.name = name
        self.objectID = objectID
        self.written = written
        self.recoveryKey = recoveryKey
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        id = try wire.string("id")
        name = try wire.string("name")
        objectID = try wire.string("objectId")
        written = try wire.integer("written")
        recoveryKey = try wire.optionalString("recoveryKey")
    }

    /// The wire form.
    package var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "objectId": .string(objectID),
            "written": JSONValue(written), "recoveryKey": JSONValue(recoveryKey),
        ]
    }
}
