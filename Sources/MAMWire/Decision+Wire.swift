// The type Decision of io.mamd.Policy, and the replies with one.

package import MAMModel

extension Varlink.Policy.Decision {
    package init(_ decision: Decision) {
        self.init(allowed: decision.isAllowed, reason: decision.reason, rule: decision.rule)
    }
}

/// A question that policy answered.
package protocol DecisionReply: WireObject {
    var decision: Varlink.Policy.Decision { get }
}

extension Varlink.Policy.Ask.Reply: DecisionReply {}
extension Varlink.Policy.CanReceive.Reply: DecisionReply {}
extension Varlink.Policy.CanOpenURL.Reply: DecisionReply {}
