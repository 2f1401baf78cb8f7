// The files of the audit.

import Glibc
import MAMModel
import MAMSystem
import TestSupport
import Testing

@testable import MAMAudit

@Suite struct StoreTests {
    private let place: TemporaryDirectory
    private let directory: Descriptor

    init() throws {
        place = try TemporaryDirectory()
        directory = try place.open()
    }

    private func store(_ byteCount: Int = 1 << 20) throws -> AuditStore {
        try AuditStore(in: directory, maximumByteCount: byteCount)
    }

    private func records() throws -> [AuditRecord] {
        try AuditStore.records(in: directory) { _ in true }
    }

    private var sizes: [Int64] {
        get throws {
            try entries(of: directory.raw).map {
                Int64(try status(at: directory.raw, $0.cString).st_size)
            }
        }
    }

    private func append(_ count: Int, _ event: LogMessage, to store: inout AuditStore) throws {
        for _ in 0..<count {
            var one = [AuditRecord(event)]
            one[0].reason = "a sentence that takes some room, as sentences do"
            try store.append(&one)
        }
    }

    @Test func `the last number is found behind more than a look at the end takes in`() throws {
        do {
            var store = try store(64 << 20)
            try append(3, .locked, to: &store)
        }
        let name = try #require(try AuditSeries.names("events", in: directory).last)
        let file = try openFile(at: directory.raw, name, O_WRONLY | O_APPEND)
        let torn = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
        #expect(write(file.raw, torn, torn.count) == torn.count)
        #expect(try store(64 << 20).nextSequence == 4)
    }

    @Test func `a record comes back as it was`() throws {
        var record = AuditRecord(.refused)
        record.account = "ann@contoso.com"
        record.registrant = 1000
        record.receiver = "bob@contoso.com"
        record.caller = AuditCaller(uid: 7, process: ProcessName(42, named: "c\u{FC}t\n\""))
        (record.path, record.operation, record.reason) = ("a/b", "open", "it is \"closed\"")
        (record.rule, record.fileClass, record.count) = ("lockedOut", "B", 3)
        var store = try store()
        var all = [record]
        try store.append(&all)
        #expect(try records() == all)
        #expect(all[0].sequence == 1)
    }

    @Test func `they stay within their size, and refusals push out nothing else`() throws {
        var store = try store(32 << 10)
        try append(10, .locked, to: &store)
        try append(400, .refused, to: &store)
        #expect(try sizes.reduce(0, +) <= 32 << 10)
        let kept = try records()
        #expect(kept.filter { $0.event == .locked }.count == 10)
        #expect(kept.last?.sequence == 410)
        #expect(kept.count { $0.event == .refused } > 50)
    }

    @Test func `what a user does again and again pushes out nothing else`() throws {
        func records(_ count: Int, _ event: LogMessage, by user: UInt32) -> [AuditRecord] {
            (0..<count).map { _ in
                var record = AuditRecord(event)
                record.caller = AuditCaller(uid: user, process: nil)
                record.reason = "a sentence that takes some room, as sentences do"
                return record
            }
        }
        var store = try store(128 << 10)
        for (count, event, user) in [
            (1, .wrongPassphrase, 4711), (1, .keysExported, 4712), (3000, .contained, 4712),
        ] as [(Int, LogMessage, UInt32)] {
            for record in records(count, event, by: user) {
                var one = [record]
                try store.append(&one)
            }
        }
        #expect(try sizes.reduce(0, +) <= 128 << 10)
        let kept = try self.records()
        #expect(kept.map(\.event).prefix(2) == [.wrongPassphrase, .keysExported])
        #expect(kept.last?.sequence == 3002)
        // Those of root and of the daemon itself stay together.
        var many = records(200, .locked, by: 0)
        try store.append(&many)
        let names = try AuditSeries.names("repeats", in: directory)
        #expect(!names.isEmpty && names.allSatisfy { AuditSeries.first(of: $0) ?? 0 < 3003 })
    }

    @Test func `a user's refusals push out no other's, however long and many at once`() throws {
        var store = try store(128 << 10)
        func refusals(_ count: Int, by user: UInt32, pathByteCount: Int) -> [AuditRecord] {
            (0..<count).map { _ in
                var record = AuditRecord(.refused)
                record.caller = AuditCaller(uid: user, process: nil)
                record.path = String(repeating: "x", count: pathByteCount)
                return record
            }
        }
        for (count, user, pathByteCount) in [(1, 4711, 20), (200, 4712, 4000), (1, 4711, 20)] {
            var records = refusals(count, by: UInt32(user), pathByteCount: pathByteCount)
            try store.append(&records)
        }
        #expect(try records().filter { $0.caller?.uid == 4711 }.map(\.sequence) == [1, 202])
        #expect(try sizes.reduce(0, +) <= 128 << 10)
    }

    @Test func `the numbers go on after a start, whatever the last line is`() throws {
        var first = try store()
        try append(3, .locked, to: &first)
        try append(2, .refused, to: &first)
        for torn in [
            "{\"time\":\"2026", "\u{0}\u{0}\n", "[]\n", "{\"sequence\":9223372036854775807}\n",
        ] {
            let names = try entries(of: directory.raw).sorted {
                $0.bytes.lexicographicallyPrecedes($1.bytes)
            }
            let file = try openFile(at: directory.raw, names[0].cString, O_WRONLY | O_APPEND)
            #expect(write(file.raw, torn, torn.utf8.count) == torn.utf8.count)
        }
        var second = try store()
        try append(1, .unlocked, to: &second)
        #expect(try records().map(\.sequence) == [1, 2, 3, 4, 5, 6])
    }

    @Test func `reading on finds each record once, from any number`() throws {
        var store = try store(64 << 10)
        for _ in 0..<60 {
            try append(3, .locked, to: &store)
            try append(4, .refused, to: &store)
        }
        // What a crash cut.
        for name in try entries(of: directory.raw) {
            let file = try openFile(at: directory.raw, name.cString, O_WRONLY | O_APPEND)
            #expect(write(file.raw, "{\"x\n\n", 5) == 5)
        }
        try append(2, .refused, to: &store)
        let all = try records()
        let last = store.nextSequence - 1
        #expect(all.last?.sequence == last && all.count < last)
        func read(after: Int64, _ limit: Int) throws -> [AuditRecord] {
            try AuditStore.records(in: directory, after: after, upTo: last, atMost: limit)
        }
        // Records come in sevens.
        for after in stride(from: 0, through: last, by: 5) {
            let rest = all.filter { $0.sequence > after }
            #expect(try read(after: after, .max) == rest)
            #expect(try read(after: after, 5) == Array(rest.prefix(5)))
        }
        #expect(try read(after: .max, 5).isEmpty)
        let some = try AuditStore.records(in: directory, after: 0, upTo: last - 3, atMost: .max)
        #expect(some.last?.sequence == last - 3)
    }

    @Test func `a number that cannot be counted on from is no obstacle`() throws {
        var first = try store()
        try append(1, .locked, to: &first)
        let names = try entries(of: directory.raw)
        let file = try openFile(at: directory.raw, names[0].cString, O_WRONLY | O_APPEND)
        let number = Int64.max - 1
        let line =
            #"{"time":"2026-05-04T03:02:01.000Z","event":"locked","sequence":\#(number)}"# + "\n"
        #expect(write(file.raw, line, line.utf8.count) == line.utf8.count)
        var second = try store()
        try append(3, .unlocked, to: &second)
        #expect(try records().count { $0.event == .unlocked } == 3)
    }

    @Test func `an empty or foreign file is no obstacle`() throws {
        for name in ["events.0000000000000000041.jsonl", "events.x.jsonl", "other"] {
            _ = try openFile(at: directory.raw, name, O_WRONLY | O_CREAT, mode: 0o600)
        }
        var store = try store()
        try append(1, .locked, to: &store)
        #expect(try records().map(\.event) == [.locked])
    }
}
