import Testing

@testable import MAMSystem

@Suite("What is kept out of a log")
struct LogRulesTests {
    private func scrub(_ message: String, _ secrets: String...) -> String {
        let rules = LogRules()
        rules.set(isVerbose: false, scrubbed: secrets)
        return rules.scrub(message)
    }

    @Test(
        "Secrets are replaced wherever they stand",
        arguments: [
            ("a secret here", "a *** here"), ("secretsecret", "******"), ("xsecrety", "x***y"),
            ("secre", "secre"), ("", ""), ("Secret", "Secret"), ("sesecret", "se***"),
        ])
    func everywhere(message: String, expected: String) {
        #expect(scrub(message, "secret") == expected)
    }

    @Test(
        "A short one counts as a word only",
        arguments: [
            ("uid 1 asked", "uid *** asked"), ("uid 1000", "uid 1000"), ("1", "***"), ("ä1", "ä1"),
        ])
    func shortOnes(message: String, expected: String) {
        #expect(scrub(message, "1") == expected)
    }

    @Test("Of two the longer one goes first, so that nothing of it is left")
    func longestFirst() {
        #expect(scrub("passwords", "pass", "password") == "***s")
    }

    @Test("An empty one is none, and other bytes stay")
    func empty() {
        #expect(scrub("a ☃ b", "") == "a ☃ b")
        #expect(scrub("a ☃☃ b", "☃☃") == "a *** b")
    }

    @Test("Rules are those of all copies of a log")
    func shared() {
        let log = Log.toStandardError(prefix: "x")
        let copy = log
        copy.rules.set(isVerbose: true, scrubbed: [])
        #expect(log.rules.isVerbose)
    }
}
