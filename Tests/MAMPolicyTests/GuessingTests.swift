import MAMPolicy
import Testing

@Suite struct GuessingTests {
    private func rules(
        _ length: Int, _ characters: PinCharacters = .numeric, blocksSimple: Bool = false
    ) -> PinRules {
        var rules = PinRules()
        rules.isRequired = true
        rules.minimumLength = length
        rules.characters = characters
        rules.blocksSimple = blocksSimple
        return rules
    }

    @Test func `the portal's four digits fall in seconds, ten digits stand a month`() {
        #expect(rules(4).guesses == 10_000)
        #expect(rules(4).guessableSeconds == 10)
        #expect(rules(9).guessableSeconds == 1_000_000)
        #expect(rules(10).guessableSeconds == nil)
        // What is not allowed need not be tried.
        #expect(rules(10, blocksSimple: true).guesses < rules(10).guesses)
        #expect(rules(10, blocksSimple: true).guessableSeconds == nil)
    }

    @Test func `a letter and a symbol among digits are worth something`() {
        #expect(rules(6, .alphanumericAndSymbol).guesses == 6 * 26 * 100_000)
        #expect(rules(8, .alphanumericAndSymbol).guessableSeconds != nil)
        #expect(rules(9, .alphanumericAndSymbol).guessableSeconds == nil)
        #expect(rules(8, .alphanumericAndSymbol, blocksSimple: true).guessableSeconds == nil)
    }

    @Test func `where none is required there is nothing to guess`() {
        #expect(PinRules().guessableSeconds == 0)
        #expect(rules(0).guessableSeconds == 0)
    }

    @Test func `no length makes it fail`() {
        #expect(rules(65_535, .alphanumericAndSymbol, blocksSimple: true).guessableSeconds == nil)
    }
}
