// How long the weakest passphrase that policy allows withstands guessing by someone with the disk.

internal import Glibc

extension PinRules {
    /// One guess takes 256 MiB of Argon2id in three passes, about a second on one processor.
    /// Assumes a thousand of these, or a few graphics cards.
    package static let guessesPerSecond = 1000.0

    private static let monthSeconds = 30.0 * 86_400

    /// The number of passphrases of the minimum length from the smallest permitted set: that many
    /// guesses find any that was chosen at random. People's own choices fall sooner. 1: none is
    /// required.
    package var guesses: Double {
        guard isRequired, minimumLength > 0 else { return 1 }
        let count = Double(minimumLength)
        guard blocksSimple || characters == .alphanumericAndSymbol else { return pow(10, count) }
        // About one window of three in 38 is simple.
        let allowed = blocksSimple ? pow(1 - 0.026, max(0, count - 2)) : 1
        guard characters == .alphanumericAndSymbol else { return allowed * pow(10, count) }
        // All digits except one letter, or a letter and a symbol, in any position.
        return blocksSimple
            ? allowed * max(1, count * (count - 1)) * 26 * 33 * pow(10, max(0, count - 2))
            : count * 26 * pow(10, count - 1)
    }

    /// Seconds until guessing finds any of them; nil: over a month.
    package var guessableSeconds: Int? {
        let seconds = guesses / Self.guessesPerSecond
        return seconds < Self.monthSeconds ? Int(seconds) : nil
    }
}
