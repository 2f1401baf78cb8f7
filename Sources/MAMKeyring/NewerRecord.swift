// A record of the state directory that this program must not change.

/// It begins as one of ours does, with a version above those known here.
package struct NewerRecord: Equatable, Sendable {
    /// In the state directory.
    package let fileName: String
    package let version: Int
}

extension NewerRecord: CustomStringConvertible {
    package var description: String {
        "a newer mamd wrote \(fileName) (format version \(version)), which is left as it is:"
            + " install that mamd"
    }
}
