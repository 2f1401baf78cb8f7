// The encoding of an account's name and object id in keybags and wipe records.

internal import MAMFormat
internal import MAMModel

extension Identity {
    /// Nil for values that no account can have, including nobody.
    init?(decoding bytes: RawSpan) {
        let nameCount = Int(bytes.integer(UInt16.self, at: KeybagOffset.nameCount))
        let objectIDCount = Int(bytes.integer(UInt16.self, at: KeybagOffset.objectIDCount))
        guard let name = bytes.paddedText(in: KeybagOffset.name, count: nameCount),
            let objectID = bytes.paddedText(in: KeybagOffset.objectID, count: objectIDCount),
            let identity = try? Identity(name: name, objectID: objectID), !identity.isNobody
        else { return nil }
        self = identity
    }

    func encode(into bytes: inout MutableRawSpan) {
        bytes.store(UInt16(name.utf8.count), at: KeybagOffset.nameCount)
        bytes.store(UInt16(objectID.utf8.count), at: KeybagOffset.objectIDCount)
        bytes.store(name, paddedIn: KeybagOffset.name)
        bytes.store(objectID, paddedIn: KeybagOffset.objectID)
    }
}
