import MAMPolicy
import Testing

@Suite struct PolicyDurationTests {
    @Test(arguments: [
        ("PT12H", 43_200), ("PT24H", 86_400), ("PT30M", 1800), ("P90D", 7_776_000), ("PT0S", 0),
        ("P365D", 31_536_000), ("P1DT2H3M4S", 93_784), ("PT1.5S", 2), ("PT0.1S", 1),
        ("PT1.0S", 1), ("P0D", 0), ("PT90M", 5400), ("-PT0S", 0),
    ])
    func `a duration is so many seconds`(_ text: String, _ seconds: Int64) throws {
        #expect(try read(text).rules.periodOnlineBeforeAccessCheck?.seconds == seconds)
        #expect(try read(text).warnings.isEmpty == !text.hasPrefix("-"))
    }

    @Test(arguments: ["-PT17.1357909S", "-P1D"])
    func `a negative one counts as zero with a warning`(_ text: String) throws {
        let document = try read(text)
        #expect(document.rules.periodOnlineBeforeAccessCheck?.seconds == 0)
        #expect(
            document.warnings == [
                .negativeDuration(key: "periodOnlineBeforeAccessCheck", value: text)
            ])
    }

    @Test(arguments: [
        "", "P", "PT", "-P", "P1Y", "P1M", "P1W", "PT1", "P1DT", "PT1M1H", "PT1H1H", "PT1.5H",
        "PT1.S", "PT.5S", "PT1.2.3S", "p1d", "P-1D", "PT+1S", "P1H", "PT1D", "P1D1D", "PT1H ",
        " PT1H", "12", "P99999999999999999999D", "P9223372036854775807D",
        "P106751991167300DT9223372036854775807S", "PT9223372036854775807.5S", "PT１S", "PTT1S",
    ])
    func `anything else is refused`(_ text: String) {
        #expect(throws: PolicyError.self) { try read(text) }
    }

    private func read(_ text: String) throws -> PolicyDocument {
        let json = #"{"periodOnlineBeforeAccessCheck": "\#(text)"}"#
        return try #require(try PolicyDocument.decode(Array(json.utf8)).first)
    }
}
