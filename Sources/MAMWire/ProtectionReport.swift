// The interface's type Protection. It is the vocabulary's ProtectionInfo, so no other type is
// needed.

package import MAMModel

extension ProtectionInfo {
    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        let owner: Identity
        do throws(Identity.Invalid) {
            owner = try Identity(
                name: (try? wire.string("owner")) ?? "",
                objectID: (try? wire.string("ownerObjectId")) ?? "")
        } catch {
            throw .invalidParameter("owner")
        }
        guard let state = ProtectionState(rawValue: try wire.string("state")) else {
            throw .invalidParameter("state")
        }
        self.init(
            owner: owner, isManaged: try wire.bool("managed"),
            fileClass: try Self.protectionClass("class", in: wire),
            effectiveClass: try Self.protectionClass("effectiveClass", in: wire),
            state: state, reason: try wire.string("reason"))
    }

    private static func protectionClass(
        _ name: String, in wire: Parameters
    ) throws(VarlinkError) -> ProtectionClass? {
        guard let text = try wire.optionalString(name) else { return nil }
        guard let found = ProtectionClass(text) else { throw .invalidParameter(name) }
        return found
    }

    /// The wire form.
    package var json: JSONValue {
        [
            "owner": .string(owner.name),
            "ownerObjectId": .string(owner.objectID),
            "managed": .bool(isManaged),
            "class": JSONValue(fileClass?.letter),
            "effectiveClass": JSONValue(effectiveClass?.letter),
            "state": .string(state.rawValue),
            "reason": .string(reason),
        ]
    }
}
