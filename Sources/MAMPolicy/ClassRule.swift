// Determines a file's protection class.

package import MAMModel

/// Policy's class, and the strictest that the workspace allows (`MaxFileProtectionLevel`).
package struct ClassRule: Sendable, Equatable {
    package let policyClass: ProtectionClass
    package let ceiling: ProtectionClass

    package init(policyClass: ProtectionClass, ceiling: ProtectionClass) {
        self.policyClass = policyClass
        self.ceiling = ceiling
    }

    /// The stricter of policy's class and the requested one.
    package func wantedClass(asked: ProtectionClass?) -> ProtectionClass {
        asked.map(policyClass.stricter) ?? policyClass
    }

    package func effectiveClass(asked: ProtectionClass?) -> ProtectionClass {
        wantedClass(asked: asked).weaker(of: ceiling)
    }
}
