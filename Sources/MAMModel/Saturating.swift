// Addition of untrusted numbers.

extension Int64 {
    /// Adds without overflow: sizes of sparse files can exceed the range.
    package mutating func add(saturating other: Int64) {
        let (sum, overflow) = addingReportingOverflow(other)
        self = overflow ? .max : sum
    }
}
