// Moments, written and read.

import MAMModel
import Testing

@Suite struct TimestampTests {
    @Test func `what is written is read as the same moment`() {
        for milliseconds in [0, 1, 999, 1_000, 951_782_400_123, 1_777_777_777_777] as [Int64] {
            let time = Timestamp(milliseconds: milliseconds)
            #expect(Timestamp(time.text) == time)
        }
        #expect(Timestamp(milliseconds: 951_827_696_007).text == "2000-02-29T12:34:56.007Z")
    }

    @Test(
        arguments: [
            "2000-02-29T12:34:56Z", "2000-02-29T14:34:56+02:00", "2000-02-29t04:04:56.000-08:30",
            "2000-02-29 12:34:56.0004z",
        ])
    func `the forms of RFC 3339`(_ text: String) {
        #expect(Timestamp(text)?.milliseconds == 951_827_696_000)
    }

    @Test
    func `a day begins at midnight in UTC`() {
        #expect(Timestamp("2000-02-29")?.text == "2000-02-29T00:00:00.000Z")
    }

    @Test(
        arguments: [
            "", "2000", "2000-13-01", "2000-02-29T12:34:56", "2000-02-29T25:00:00Z",
            "2000-02-29T12:34:56.Z", "2000-02-29T12:34:56Zx", "２０００-02-29", "-1h",
        ])
    func `anything else is refused`(_ text: String) { #expect(Timestamp(text) == nil) }
}
