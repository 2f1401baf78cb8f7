// io.mamd.Workspace's type Protection and io.mamd.Policy's type Decision, replies that contain one,
// and the outcome of files that could not be protected.

package import MAMModel

extension Varlink.Workspace.Protection {
    package init(_ info: FileProtection) {
        self.init(
            owner: info.owner.name, ownerObjectID: info.owner.objectID, managed: info.isManaged,
            class: info.fileClass, effectiveClass: info.effectiveClass, state: info.state,
            reason: info.reason.english, words: info.reason.wire)
    }
}

extension FileProtection {
    package init(_ wire: Varlink.Workspace.Protection) throws(VarlinkError) {
        let owner: Identity
        do throws(Identity.Invalid) {
            owner = try Identity(name: wire.owner, objectID: wire.ownerObjectID)
        } catch {
            throw .invalidParameter("owner")
        }
        self.init(
            owner: owner, isManaged: wire.managed, fileClass: wire.class,
            effectiveClass: wire.effectiveClass, state: wire.state,
            reason: Message(wire.words, else: wire.reason))
    }

    package var json: JSONValue { Varlink.Workspace.Protection(self).json }
}

/// A reply that tells how something is protected now.
package protocol ProtectionReply: WireObject {
    var protection: Varlink.Workspace.Protection { get }
}

extension Varlink.Workspace.ProtectionInfo.Reply: ProtectionReply {}
extension Varlink.Protection.EncryptFile.Reply: ProtectionReply {}

extension VarlinkError {
    /// A file's, below a directory: as if it had been the one of a call.
    package init(_ failure: Varlink.Protection.Failure) {
        self.init(Varlink.Protection.FileFailed.fullName, failure.members)
    }
}

extension Varlink.Policy.Decision {
    package init(_ decision: Decision) {
        self.init(
            allowed: decision.isAllowed, reason: decision.reason.english,
            words: decision.reason.wire, rule: decision.rule)
    }

    /// The reason for people.
    package var message: Message { Message(words, else: reason) }
}

/// A reply that contains a policy decision.
package protocol DecisionReply: WireObject {
    var decision: Varlink.Policy.Decision { get }
}

extension Varlink.Policy.Ask.Reply: DecisionReply {}
extension Varlink.Policy.CanReceive.Reply: DecisionReply {}
extension Varlink.Policy.CanOpenURL.Reply: DecisionReply {}
