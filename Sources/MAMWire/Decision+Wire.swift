// io.mamd.Policy's type Decision, and the replies that contain one.

package import MAMModel

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
