// Names without regard to case, as Unicode folds them.

extension String {
    /// Whether two names of accounts, or of groups, differ in case at most. Every look-up by a name
    /// compares with this, or by ``caseFolded`` as a key. Only what an issuer has proved is
    /// compared by bytes (`isSameName`, MAMSignIn).
    package func isSameFolded(_ other: String) -> Bool {
        // Most names have the same case, and comparing bytes is cheap.
        self == other || caseFolded == other.caseFolded
    }

    /// Equal for texts that differ only in case: `ß` and `SS`, `ς` and `Σ`.
    package var caseFolded: String {
        // Almost every name: Unicode's tables cost many times as much.
        if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
        var folded = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            // Its capital is that of i, but it is another letter.
            guard scalar != "ı" else {
                folded.append(scalar)
                continue
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                let upper = lower.properties.uppercaseMapping
                for scalar in upper.unicodeScalars {
                    folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(folded)
    }
}
