// What one process tells another of logind, line by line.
//
//   the daemon says   sleep or no-sleep, first: whether the machine's sleep waits for it
//                     slept: its accounts are locked, and the machine may sleep
//   and is told       lock UID, lock (nobody can tell whose), unlock UID, sleep

internal import Glibc
internal import MAMModel
internal import MAMSystem

enum LoginNews: Equatable {
    case locked(UInt32?)
    case unlocked(UInt32)
    case sleep

    init?(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        switch (words.first, words.count) {
        case ("sleep", 1): self = .sleep
        case ("lock", 1): self = .locked(nil)
        case ("lock", 2):
            guard let user = UInt32(words[1]) else { return nil }
            self = .locked(user)
        case ("unlock", 2):
            guard let user = UInt32(words[1]) else { return nil }
            self = .unlocked(user)
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .locked(let user): user.map { "lock \($0)" } ?? "lock"
        case .unlocked(let user): "unlock \(user)"
        case .sleep: "sleep"
        }
    }
}

/// Reads short lines from a descriptor that the caller owns.
struct LineReader: ~Copyable {
    private let input: Int32
    private var bytes: [UInt8] = []

    private static let longest = 64

    init(_ input: Int32) { self.input = input }

    /// Nil at the end, and when the other end of `stop` closes.
    mutating func next(orUntil stop: Descriptor? = nil) throws(Errno) -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeSubrange(...end) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            guard bytes.count < Self.longest else { throw .invalid }
            if let stop, try !waits(orUntil: stop) { return nil }
            var more = [UInt8](repeating: 0, count: Self.longest)
            let count = try retrying { read(input, &more, more.count) }
            if count == 0 { return nil }
            bytes += more.prefix(count)
        }
    }

    private func waits(orUntil stop: Descriptor) throws(Errno) -> Bool {
        var waiting = [
            pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stop.raw, events: 0, revents: 0),
        ]
        _ = try retrying { poll(&waiting, 2, -1) }
        return waiting[1].revents == 0
    }
}

/// One short write: it is complete, or the other end is gone.
func tell(_ line: String, to output: Int32) throws(Errno) {
    let bytes = Array("\(line)\n".utf8)
    _ = try retrying { write(output, bytes, bytes.count) }
}
