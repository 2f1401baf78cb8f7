// Which protection class a file gets.

package import MAMModel

/// Policy's class, and the strictest that the workspace gives (`MaxFileProtectionLevel`).
package struct ClassRule: Sendable, Equatable {
    package let policyClass: ProtectionClass
    package let ceiling: ProtectionClass

    package init(policyClass: ProtectionClass, ceiling: ProtectionClass) {
        self.policyClass = policyClass
        self.ceiling = ceiling
    }

    /// The stricter of policy's class and the one that was asked for the file.
    package func wantedClass(asked: ProtectionClass?) -> ProtectionClass {
        asked.map(policyClass.stricter) ?? policyClass
    }

    package func effectiveClass(asked: ProtectionClass?) -> ProtectionClass {
        wantedClass(asked: asked).weaker(of: ceiling)
    }
}
