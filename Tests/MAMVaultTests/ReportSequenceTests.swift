import Glibc
import MAMModel
import MAMSystem
import MAMVault
import TestSupport
import Testing

@Suite struct ReportSequenceTests {
    private let place: TemporaryDirectory
    private let start: Int64 = 1_790_000_000

    init() throws { place = try TemporaryDirectory() }

    private func started(isReadOnly: Bool = false) -> ReportSequence {
        ReportSequence(in: place.path("fleet"), isReadOnly: isReadOnly)
    }

    @Test func `numbers increase over restarts and clocks that are set back`() throws {
        var last: Int64 = 0
        let clocks: [Int64] = [
            start, start, start + 1, start - 86_400, 0, -5, start + 100, .max, .max, start,
        ]
        for clock in clocks {
            let sequence = started()
            for _ in 0..<3 {
                let next = try sequence.next(at: clock)
                #expect(next > last)
                last = next
            }
        }
    }

    @Test func `a restart skips little, and few numbers wait for the disk`() throws {
        let first = try started().next(at: start)
        #expect(first == start * 1000)
        let second = try started().next(at: start)
        #expect(second - first <= 60_000)
        let sequence = started()
        _ = try sequence.next(at: start)
        let before = try status(at: workingDirectory, place.path("fleet/sequence.json")).st_ino
        for _ in 0..<1000 { _ = try sequence.next(at: start) }
        let after = try status(at: workingDirectory, place.path("fleet/sequence.json")).st_ino
        #expect(before == after)
    }

    @Test(
        arguments: [
            "", "[]", "{\"next\": -4}", "{\"next\": \"x\"}", "{\"next\": 1e300}",
            "{\"next\": 9223372036854775807}",
        ])
    func `a damaged number gives way to the clock`(_ text: String) throws {
        _ = try started().next(at: start)
        let file = try openFile(place.path("fleet/sequence.json"), O_WRONLY | O_TRUNC)
        let bytes = Array(text.utf8)
        #expect(write(file.raw, bytes, bytes.count) == bytes.count)
        #expect(try started().next(at: start + 1) == (start + 1) * 1000)
    }

    @Test func `nothing is stored on a read-only state directory`() throws {
        #expect(try started(isReadOnly: true).next(at: start) == start * 1000)
        #expect(access(place.path("fleet"), F_OK) != 0)
    }
}
