// Measures the cost of each part's operation.

import CBench
import Glibc

/// How to measure.
enum BenchWay {
    /// In this process: allocations, system calls, bytes, time.
    case itself
    /// This process runs under callgrind, which counts; it only marks the parts.
    case underCallgrind
}

/// Measures parts and keeps their figures.
final class Bench {
    private let way: BenchWay
    private let roundCount: Int
    private let countsSystemCalls: Bool
    private(set) var parts: [PartFigures] = []

    /// `roundCount`: a part's time is the median of this many rounds.
    init(_ way: BenchWay, roundCount: Int = 9) {
        self.way = way
        self.roundCount = roundCount
        countsSystemCalls = way == .itself && bench_prepare_system_calls()
    }

    /// The number of operations in a round: fewer under callgrind, which is about 50 times slower.
    func scaled(_ count: Int) -> Int { way == .itself ? count : max(5, count / 50) }

    /// Measures an operation, which runs `count` times per round and gets its index.
    ///
    /// `byteCount`: the content that one operation moves. `before` runs before each round and is
    /// not measured. A first round is not measured either: it warms up pools, tables and lazy
    /// binding.
    func measure(
        _ name: String, count: Int, byteCount: Int = 0, before: () throws -> Void = {},
        _ operation: (Int) throws -> Void
    ) throws {
        let count = scaled(count)
        try before()
        try repeating(operation, count)
        try before()
        var figures: [Figure: Double] = [:]
        if way == .underCallgrind {
            figures = try marked(count, operation)
        } else {
            // The least of three rounds: what every operation costs is in each; a buffer for a
            // processor that this thread had not run on before, or a table that grows, is in one.
            for _ in 0..<3 {
                figures.merge(try counted(count, operation), uniquingKeysWith: min)
                try before()
            }
            let times = try (0..<roundCount).map { _ in
                try before()
                return try time(count, operation)
            }
            figures[.nanoseconds] = times.sorted()[roundCount / 2].rounded()
        }
        parts.append(PartFigures(name: name, byteCount: byteCount, values: figures))
    }

    private func counted(
        _ count: Int, _ operation: (Int) throws -> Void
    ) throws -> [Figure: Double] {
        let heldBefore = bench_held_byte_count()
        let allocationsBefore = bench_allocation_count()
        if countsSystemCalls { bench_begin_system_calls() }
        // Do not count what handling an error costs.
        let result = Result { try repeating(operation, count) }
        let systemCalls = bench_end_system_calls()
        let allocations = bench_allocation_count() - allocationsBefore
        let held = Int64(bench_held_byte_count()) - Int64(heldBefore)
        try result.get()
        var figures: [Figure: Double] = [
            .allocations: rounded(Double(allocations) / Double(count)),
            .heldBytes: max(0, (Double(held) / Double(count)).rounded()),
        ]
        if countsSystemCalls {
            figures[.systemCalls] = rounded(Double(systemCalls) / Double(count))
        }
        return figures
    }

    /// Returns the number of operations in place of the instructions, which callgrind reports
    /// later.
    private func marked(
        _ count: Int, _ operation: (Int) throws -> Void
    ) throws -> [Figure: Double] {
        bench_part_begins()
        try repeating(operation, count)
        bench_part_ends()
        return [.instructions: Double(count)]
    }
}

private func repeating(_ operation: (Int) throws -> Void, _ count: Int) throws {
    for index in 0..<count { try operation(index) }
}

/// Nanoseconds per operation.
private func time(_ count: Int, _ operation: (Int) throws -> Void) throws -> Double {
    let start = now()
    try repeating(operation, count)
    return Double(now() - start) / Double(count)
}

private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
