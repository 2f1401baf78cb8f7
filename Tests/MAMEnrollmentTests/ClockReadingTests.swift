import MAMEnrollment
import MAMSystem
import Testing

@Suite struct ClockReadingTests {
    private func passed(
        wall: Int64, boot: Int64, sameBoot: Bool = true
    ) -> Int64 {
        var reading = ClockReading(Moment(wallSeconds: 1000, secondsSinceBoot: 100), boot: "a")
        return reading.advance(
            to: Moment(wallSeconds: wall, secondsSinceBoot: boot), boot: sameBoot ? "a" : "b")
    }

    @Test func `both clocks agree`() { #expect(passed(wall: 1010, boot: 110) == 10) }

    @Test func `a clock that is set back gains nothing`() {
        #expect(passed(wall: 0, boot: 110) == 10)
        #expect(passed(wall: .min, boot: 110) == 10)
    }

    @Test func `a clock that is set forward costs what it jumped over`() {
        #expect(passed(wall: 5000, boot: 110) == 4000)
        #expect(passed(wall: .max, boot: 110) == .max - 1000)
    }

    @Test func `after a reboot the wall clock counts, and never backwards`() {
        #expect(passed(wall: 1500, boot: 3, sameBoot: false) == 500)
        #expect(passed(wall: 900, boot: 3, sameBoot: false) == 0)
        #expect(passed(wall: 1500, boot: 100_000, sameBoot: false) == 500)
    }

    @Test func `forward and back again counts once, and time goes on after it`() {
        var reading = ClockReading(Moment(wallSeconds: 1000, secondsSinceBoot: 100), boot: "a")
        func advance(_ wall: Int64, _ boot: Int64) -> Int64 {
            reading.advance(to: Moment(wallSeconds: wall, secondsSinceBoot: boot), boot: "a")
        }
        #expect(advance(9000, 101) == 8000)
        #expect(advance(1002, 102) == 1)
        #expect(advance(1012, 112) == 10)
    }
}
