// Counts instructions: runs this program again under valgrind's callgrind.

import Glibc
import MAMCrypto
import MAMModel
import MAMSystem

/// Why instructions could not be counted.
struct CallgrindFailure: Error, CustomStringConvertible {
    let description: String
}

/// Instructions per operation, by part.
func countInstructions(in directory: ScratchDirectory) throws -> [String: Double] {
    // Debian 12's valgrind fails on the debug sections that Swift 6 writes.
    let program = directory.path("mambench")
    try work(["strip", "--strip-debug", "-o", program, try linkTarget("/proc/self/exe").shown])
    let counts = directory.path("counts")
    // Deterministic hashing makes hash tables the same in each run.
    try work(
        [
            "env", "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "-q", "--tool=callgrind",
            "--callgrind-out-file=\(directory.path("callgrind"))",
            // Warnings about system calls that valgrind does not know and fails, such as
            // pidfd_open(2).
            "--log-file=\(directory.path("warnings"))",
            "--zero-before=bench_part_begins", "--dump-before=bench_part_ends",
            program, Options.underCallgrind, "--cipher", GCMLibrary.chosen.rawValue,
        ], output: counts)
    let lines = try readSmallFile(counts, maximumByteCount: 1 << 20)
        .split(separator: UInt8(ascii: "\n"))
    var result: [String: Double] = [:]
    for (index, line) in lines.enumerated() {
        // "20 seal a block": operations and name. Callgrind's files have the same order.
        let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
        guard words.count == 2, let count = Double(words[0]) else { continue }
        let total = try totalInstructions(in: directory.path("callgrind.\(index + 1)"))
        result[String(words[1])] = (Double(total) / count).rounded()
    }
    return result
}

/// Runs a program and waits for it; throws unless it succeeds.
private func work(_ argv: [String], output path: String = "/dev/null") throws {
    let output = try openFile(path, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    let process = try spawn(argv.map { ByteString($0) }, files: [output.raw: STDOUT_FILENO])
    let end = try wait(for: process)
    guard end == .exited(0) else {
        throw CallgrindFailure(
            description: "\(argv[0]) \(end). Install what is missing: scripts/setup --tests")
    }
}

/// The total of one of callgrind's files: a line `totals: 1234` at its end.
private func totalInstructions(in path: String) throws -> Int64 {
    let text = String(decoding: try readSmallFile(path, maximumByteCount: 64 << 20), as: UTF8.self)
    for line in text.split(separator: "\n").reversed() where line.hasPrefix("totals:") {
        if let total = Int64(line.dropFirst("totals:".count).drop { $0 == " " }) { return total }
    }
    throw CallgrindFailure(description: "\(path) has no total")
}

/// Prints each part's operations, for the parent process.
func printCounts(of bench: Bench) {
    for part in bench.parts { print(Int(part[.instructions] ?? 0), part.name) }
}
