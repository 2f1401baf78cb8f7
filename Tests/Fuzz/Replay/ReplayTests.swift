// The fuzzers' corpora once more, without a fuzzer: what once was a way through the code still
// holds.

import FoundationEssentials
import FuzzChecks
import Testing

@Suite struct ReplayTests {
    private static let corpus = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "corpus")

    @Test(arguments: FuzzCheck.allCases)
    func `the corpus, and each of its inputs cut and changed`(_ check: FuzzCheck) throws {
        let directory = Self.corpus.appending(path: check.rawValue).path
        let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        #expect(!names.isEmpty)
        for name in names {
            let bytes = Array(try Data(contentsOf: URL(filePath: "\(directory)/\(name)")))
            for (index, input) in Self.variants(of: bytes).enumerated() {
                do throws(Violation) { try check.run(input) } catch {
                    Issue.record("\(check.rawValue)/\(name), variant \(index): \(error)")
                }
            }
        }
    }

    /// As it is, cut in half, and with a byte changed, in four ways.
    private static func variants(of bytes: [UInt8]) -> [[UInt8]] {
        let changed = (0..<min(4, bytes.count)).map { number in
            var copy = bytes
            copy[number * 7919 % bytes.count] ^= UInt8(1 << (number % 8))
            return copy
        }
        return [bytes, Array(bytes[..<(bytes.count / 2)])] + changed
    }
}
