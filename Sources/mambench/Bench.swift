// Runs parts, and counts and times what each operation costs.

import CBench
import Glibc

/// How a run of all parts is looked at.
enum BenchWay {
    /// By this process itself: allocations, system calls, bytes, time.
    case itself
    /// By callgrind, which has the process in its hands: the parts are only marked.
    case underCallgrind
}

/// All parts, one after the other.
final class Bench {
    private let way: BenchWay
    private let roundCount: Int
    private let countsSystemCalls: Bool
    private(set) var parts: [PartFigures] = []

    /// `roundCount`: the median of so many times is a part's time.
    init(_ way: BenchWay, roundCount: Int = 9) {
        self.way = way
        self.roundCount = roundCount
        countsSystemCalls = way == .itself && bench_prepare_system_calls()
    }

    /// How often an operation is done where so many take long under callgrind, which is some fifty
    /// times as slow.
    func scaled(_ count: Int) -> Int { way == .itself ? count : max(5, count / 50) }

    /// Does an operation `count` times a round, with the number that it has in its round.
    ///
    /// `byteCount`: what it moves. `before` comes before each round, and is not counted. One round
    /// goes ahead, for what is made once: pools, tables, the code that is bound at its first call.
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
            figures = try counted(count, operation)
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
        // What an error leads to shall not be counted.
        let result = Result { try repeating(operation, count) }
        let systemCalls = bench_end_system_calls()
        let allocations = bench_allocation_count() - allocationsBefore
        let held = Int64(bench_held_byte_count()) - Int64(heldBefore)
        try result.get()
        var figures: [Figure: Double] = [
            .allocations: rounded(Double(allocations) / Double(count)),
            // Whole bytes: what a part keeps for itself once is not what each operation keeps.
            .heldBytes: max(0, (Double(held) / Double(count)).rounded()),
        ]
        if countsSystemCalls {
            figures[.systemCalls] = rounded(Double(systemCalls) / Double(count))
        }
        return figures
    }

    /// The number of operations stands here until callgrind has told how many instructions they
    /// took.
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

/// Nanoseconds of one operation.
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
