// What waits to be written.

import MAMModel
import MAMSystem
import Testing

@testable import MAMAudit

@Suite struct RingTests {
    private func key(
        _ file: UInt64, of user: UInt32? = nil, account: String = "ann", reason: String = "closed"
    ) -> AuditKey {
        AuditKey(
            .refused, user: user, thread: 7, file: file, operation: "open", account: account,
            reason: reason)
    }

    private func add(_ key: AuditKey, to ring: inout AuditRing) {
        if !ring.counts(key) { ring.begin(key, AuditRecord(.refused)) }
    }

    @Test func `the same is told once, and at the end how often it came again`() {
        var ring = AuditRing()
        for _ in 0..<1000 { add(key(1), to: &ring) }
        add(key(2), to: &ring)
        add(key(1, reason: "revoked"), to: &ring)
        #expect(ring.take().map(\.count) == [1, 1, 1])
        #expect(ring.take().isEmpty)
        #expect(ring.take(all: true).map(\.count) == [999])
        #expect(ring.take(all: true).isEmpty)
    }

    @Test func `of very many the rest is told together`() {
        var ring = AuditRing()
        for file in 0..<10_000 { add(key(UInt64(file)), to: &ring) }
        #expect(ring.take().count == AuditRing.repeatLimit)
        let rest = ring.take(all: true)
        #expect(rest.count == 1)
        #expect(rest.first?.count == 10_000 - AuditRing.repeatLimit)
    }

    @Test func `nor do made-up names of accounts take more room`() {
        var ring = AuditRing()
        for number in 0..<10_000 {
            let key = AuditKey(
                .denied, thread: 7, operation: "CanPaste", account: "\(number)", reason: "no")
            if !ring.counts(key) { ring.begin(key, AuditRecord(.denied)) }
        }
        let told = ring.take() + ring.take(all: true)
        #expect(told.count <= 2 * AuditRing.repeatLimit + 1)
        #expect(told.map(\.count).reduce(0, +) == 10_000)
    }

    @Test func `a user's refusals hide no other user's`() {
        var ring = AuditRing()
        for file in 0..<10_000 { add(key(UInt64(file), of: 7), to: &ring) }
        let before = ring.take().count
        for file in 0..<AuditRing.repeatLimit { add(key(UInt64(file), of: 8), to: &ring) }
        #expect(ring.take().count == AuditRing.repeatLimit)
        #expect(before == AuditRing.repeatLimit)
        let rest = ring.take(all: true)
        #expect(rest.map(\.caller) == [AuditCaller(uid: 7, process: nil)])
    }

    @Test func `many users take a bounded room, and none is told of nothing`() {
        var ring = AuditRing()
        for user in 0..<10_000 as Range<UInt32> { add(key(1, of: user), to: &ring) }
        let told = ring.take(all: true)
        #expect(told.count <= AuditRing.sharedLimit + 1)
        #expect(told.map(\.count).reduce(0, +) == 10_000)
    }

    @Test func `what does not fit is counted, and told of`() {
        var ring = AuditRing()
        for _ in 0..<AuditRing.limit + 5 { ring.add(AuditRecord(.locked)) }
        let records = ring.take()
        #expect(records.count == AuditRing.limit + 1)
        #expect(records.last?.event == .dropped)
        #expect(records.last?.count == 5)
        #expect(ring.take().isEmpty)
    }
}
