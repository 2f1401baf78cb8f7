import MAMCrypto
import Synchronization
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// Runs `body` on `count` threads at once and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    final class Start: Sendable {
        let index: Int
        let body: @Sendable (Int) -> Void
        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.index = index
            self.body = body
        }
    }
    var threads: [pthread_t] = []
    for index in 0..<count {
        var thread = pthread_t()
        let start = Unmanaged.passRetained(Start(index, body)).toOpaque()
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                start.body(start.index)
                return nil
            }, start)
        precondition(status == 0)
        threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
}

@Suite struct BlockCipherThreadTests {
    @Test func `many threads use one cipher and get their own answers`() {
        let cipher = BlockCipher(key: secret(GCMVector.payload.key))
        let failures = Atomic<Int>(0)
        let expected = GCMVector.payload
        onThreads(8) { _ in
            for _ in 0..<200 {
                var sealed = expected.plain
                var tag = [UInt8](repeating: 0, count: 16)
                try? cipher.withSession { session throws(SealError) in
                    try session.seal(
                        expected.plain, nonce: expected.nonce, data: expected.data, into: &sealed,
                        tag: &tag)
                }
                if hex(tag) != expected.tag { failures.add(1, ordering: .relaxed) }
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test func `revoking under load leaves right answers or refusals`() {
        let expected = GCMVector.payload
        let wrong = Atomic<Int>(0)
        for _ in 0..<20 {
            let cipher = BlockCipher(key: secret(expected.key))
            onThreads(4) { index in
                if index == 0 { cipher.revoke() }
                var sealed = expected.plain
                var tag = [UInt8](repeating: 0, count: 16)
                do throws(SealError) {
                    try cipher.withSession { session throws(SealError) in
                        try session.seal(
                            expected.plain, nonce: expected.nonce, data: expected.data,
                            into: &sealed, tag: &tag)
                    }
                    if hex(tag) != expected.tag { wrong.add(1, ordering: .relaxed) }
                } catch {
                    if error != .failure { wrong.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }
}
