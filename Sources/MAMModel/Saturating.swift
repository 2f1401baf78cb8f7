// Sums of numbers that others choose.

extension Int64 {
    /// Stays at the largest number: the sizes of sparse files add up to more.
    package mutating func add(saturating other: Int64) {
        let (sum, overflow) = addingReportingOverflow(other)
        self = overflow ? .max : sum
    }
}
