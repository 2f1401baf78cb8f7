// The interface's type Account.

package import MAMModel

/// What the socket tells of one account.
package struct AccountReport: Sendable, Equatable {
    package let id: String
    package let name: String
    package let objectID: String
    package let uid: UInt32
    package let state: WindowState
    package let hasPassphrase: Bool
    /// True for the default owner of what ``uid`` creates.
    package let isDefault: Bool
    /// Seconds until another passphrase is tried; 0: now.
    package let retryAfterSeconds: Int
    /// `registered`, `enrolled` or `signed-out`.
    package var stage = ""
    /// The SDK's number for what last came of enrolling it.
    package var statusCode = 0
    /// What keeps it closed beside a lock, and a sentence about it; empty if nothing does.
    package var block = ""
    package var blockReason = ""
    /// Policy names a recovery key: who has its private half can open the account's files.
    package var isRecoverable = false
    /// Within so many seconds guessing finds the weakest passphrase that policy allows; nil: not
    /// within a month, or there is more in the way.
    package var guessableSeconds: Int?
    /// Nil where the method does not tell it.
    package var outlook: AccountOutlook?

    package init(
        id: String, name: String, objectID: String, uid: UInt32, state: WindowState,
        hasPassphrase: Bool, isDefault: Bool, retryAfterSeconds: Int
    ) {
        self.id = id
        self.name = name
        self.objectID = objectID
        self.uid = uid
        self.state = state
        self.hasPassphrase = hasPassphrase
        self.isDefault = isDefault
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        id = try wire.string("id")
        name = try wire.string("name")
        objectID = try wire.string("objectId")
        guard let uid = UInt32(exactly: try wire.integer("uid")) else {
            throw .invalidParameter("uid")
        }
        self.uid = uid
        guard let state = WindowState(rawValue: try wire.string("state")) else {
            throw .invalidParameter("state")
        }
        self.state = state
        hasPassphrase = try wire.bool("hasPassphrase")
        isDefault = try wire.bool("isDefault")
        retryAfterSeconds = try wire.integer("retryAfterSeconds")
        stage = try wire.string("stage")
        statusCode = try wire.integer("statusCode")
        block = try wire.string("block")
        blockReason = try wire.string("blockReason")
        isRecoverable = try wire.bool("isRecoverable")
        guessableSeconds = try wire.optionalInteger("guessableSeconds")
        outlook = try AccountOutlook(ifIn: wire)
    }

    /// The wire form.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id),
            "name": .string(name),
            "objectId": .string(objectID),
            "uid": JSONValue(uid),
            "state": .string(state.rawValue),
            "hasPassphrase": .bool(hasPassphrase),
            "isDefault": .bool(isDefault),
            "retryAfterSeconds": JSONValue(retryAfterSeconds),
            "stage": .string(stage), "statusCode": JSONValue(statusCode),
            "block": .string(block), "blockReason": .string(blockReason),
            "isRecoverable": .bool(isRecoverable),
        ]
        if let guessableSeconds { members["guessableSeconds"] = JSONValue(guessableSeconds) }
        return .object(members.merging(outlook?.members ?? [:]) { $1 })
    }
}
