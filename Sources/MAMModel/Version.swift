/// The version of daemon, command line and library, `major.minor.patch`.
package let productVersion = "0.1.0"

/// Whether a version is older than another; nil unless both are numbers with dots between.
package func isOlder(version: String, than other: String) -> Bool? {
    guard let one = numbers(of: version), let two = numbers(of: other) else { return nil }
    return one.lexicographicallyPrecedes(two)
}

private func numbers(of version: String) -> [Int]? {
    let parts = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    return parts.contains(nil) ? nil : parts.compactMap(\.self)
}
