// The type Decision of io.mamd.Policy.

package import MAMModel

extension Varlink.Policy.Decision {
    package init(_ decision: Decision) {
        self.init(allowed: decision.isAllowed, reason: decision.reason, rule: decision.rule)
    }
}

extension Decision {
    package init(_ wire: Varlink.Policy.Decision) {
        self.init(isAllowed: wire.allowed, reason: wire.reason, rule: wire.rule)
    }
}
