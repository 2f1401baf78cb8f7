import MAMModel
import MAMSystem
import Testing

@Suite struct LogRulesTests {
    private func scrub(_ message: String, _ secrets: String...) -> String {
        let rules = LogRules()
        rules.set(isVerbose: false, scrubbed: secrets)
        return rules.scrub(message)
    }

    @Test(
        arguments: [
            ("a secret here", "a *** here"), ("secretsecret", "******"), ("xsecrety", "x***y"),
            ("secre", "secre"), ("", ""), ("Secret", "Secret"), ("sesecret", "se***"),
        ])
    func `secrets are replaced wherever they stand`(message: String, expected: String) {
        #expect(scrub(message, "secret") == expected)
    }

    @Test(
        arguments: [
            ("uid 1 asked", "uid *** asked"), ("uid 1000", "uid 1000"), ("1", "***"),
            ("ä1", "ä1"),
        ])
    func `a short one counts as a word only`(message: String, expected: String) {
        #expect(scrub(message, "1") == expected)
    }

    @Test func `of two the longer one goes first, so that nothing of it is left`() {
        #expect(scrub("passwords", "pass", "password") == "***s")
    }

    @Test func `an empty one is none, and other bytes stay`() {
        #expect(scrub("a ☃ b", "") == "a ☃ b")
        #expect(scrub("a ☃☃ b", "☃☃") == "a *** b")
    }

    @Test func `rules are those of all copies of a log`() {
        let log = Log.toStandardError(prefix: "x")
        let copy = log
        copy.rules.set(isVerbose: true, scrubbed: [])
        #expect(log.rules.isVerbose)
    }
}
