// A state file that this version must not change.

/// It begins with a known magic and a version above the known ones.
package struct NewerRecord: Equatable, Sendable {
    /// Relative to the state directory.
    package let fileName: String
    package let version: Int
}

extension NewerRecord: CustomStringConvertible {
    package var description: String {
        "a newer mamd wrote \(fileName) (format version \(version)), which is left as it is:"
            + " install that mamd"
    }
}
