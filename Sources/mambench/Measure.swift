// Timing: several rounds, the median counts, for these machines are noisy.

import Glibc

let roundCount = 9

/// Runs `body` `count` times a round and prints nanoseconds per run, and bytes per second where it moves some.
func measure(_ name: String, count: Int, byteCount: Int = 0, _ body: () throws -> Void) {
    var rounds: [Double] = []
    do {
        try body()
        for _ in 0..<roundCount {
            let start = now()
            for _ in 0..<count { try body() }
            rounds.append(Double(now() - start) / Double(count))
        }
    } catch {
        print("\(name): \(error)")
        exit(1)
    }
    let median = rounds.sorted()[roundCount / 2]
    let padded = name + String(repeating: " ", count: max(0, 36 - name.utf8.count))
    let speed = byteCount > 0 ? "  \(Int(Double(byteCount) / median * 1000)) MB/s" : ""
    print("\(padded)\(Int(median)) ns\(speed)")
}

private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
