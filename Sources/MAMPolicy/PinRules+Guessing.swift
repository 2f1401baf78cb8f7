// How long the weakest passphrase that policy allows stands against guessing, by who has the disk.

internal import Glibc

extension PinRules {
    /// One guess is 256 MiB of Argon2id in three passes: about a second of one processor's. A
    /// thousand of these, or a handful of graphics cards.
    package static let guessesPerSecond = 1000.0

    private static let monthSeconds = 30.0 * 86_400

    /// The passphrases of the fewest characters, out of the poorest set, that the rules allow: so
    /// many guesses find each that was drawn from these at random. What people think of themselves
    /// falls sooner. 1: none is required.
    package var guesses: Double {
        guard isRequired, minimumLength > 0 else { return 1 }
        let count = Double(minimumLength)
        guard blocksSimple || characters == .alphanumericAndSymbol else { return pow(10, count) }
        // About one window of three in 38 is simple.
        let allowed = blocksSimple ? pow(1 - 0.026, max(0, count - 2)) : 1
        guard characters == .alphanumericAndSymbol else { return allowed * pow(10, count) }
        // Digits but for one letter, or for a letter and a symbol, somewhere.
        return blocksSimple
            ? allowed * max(1, count * (count - 1)) * 26 * 33 * pow(10, max(0, count - 2))
            : count * 26 * pow(10, count - 1)
    }

    /// Seconds until guessing finds each of them; nil: more than a month.
    package var guessableSeconds: Int? {
        let seconds = guesses / Self.guessesPerSecond
        return seconds < Self.monthSeconds ? Int(seconds) : nil
    }
}
