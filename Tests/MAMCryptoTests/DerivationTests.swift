import CCrypto
import Glibc
import MAMCrypto
import MAMModel
import Testing

@Suite struct DerivationTests {
    /// RFC 5869, appendix A, test cases 1 and 3: the first 32 bytes, which do not depend on the
    /// length asked.
    @Test(arguments: [
        (
            "000102030405060708090a0b0c", "f0f1f2f3f4f5f6f7f8f9",
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
        ), ("", "", "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"),
    ])
    func `HKDF gives the RFC's answers`(_ salt: String, _ info: String, _ expected: String) throws {
        let input = secret([UInt8](repeating: 0x0B, count: 22))
        let key = try bytes(salt).withUnsafeBytes { salt in
            try bytes(info).withUnsafeBytes { info in
                try Derivation.hkdf(input: input, salt: salt, infoBytes: info)
            }
        }
        #expect(hex(key) == expected)
    }

    @Test func `the info is its UTF-8 without a zero`() throws {
        let input = SecretBytes.random(count: 32)
        let info = Array("mamd file key B v1".utf8)
        let one = try info.withUnsafeBytes { utf8 in
            try Derivation.hkdf(input: input, salt: utf8, infoBytes: utf8)
        }
        let two = try info.withUnsafeBytes { salt in
            try Derivation.hkdf(input: input, salt: salt, info: "mamd file key B v1")
        }
        #expect(one.equals(two))
    }

    @Test func `nothing is derived from an erased secret`() {
        let erased = SecretBytes.random(count: 32)
        erased.erase()
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(throws: DerivationError.failure) {
            try Derivation.hkdf(input: erased, salt: none, info: "x")
        }
        #expect(throws: DerivationError.failure) {
            try Derivation.argon2id(
                passphrase: erased, salt: .zero, passes: 1, memoryByteCount: 8192)
        }
    }

    /// Salt `0123456789abcdef`, 32 bytes. Computed with Debian's `argon2 0123456789abcdef -id -p 1
    /// -l 32 -r` and again with argon2-cffi 25.1.
    @Test(
        arguments: [
            (
                "correct horse battery staple", 3, 8 << 20,
                "5e2496dc31a5f58c8739f1373dd238d4a01ef6ba96e9abac5c3117e37531bd46"
            ),
            ("x", 1, 64 << 10, "9c4c6ce85e5a4b215d081156b033c4452bba2a7e7ca6f24dacf115cb56067c69"),
        ] as [(String, UInt32, UInt64, String)])
    func `Argon2id gives the reference tool's answers`(
        _ passphrase: String, _ passes: UInt32, _ memory: UInt64, _ expected: String
    ) throws {
        let salt = Array("0123456789abcdef".utf8)
        let key = try Derivation.argon2id(
            passphrase: secret(Array(passphrase.utf8)),
            salt: Bytes16(reading: salt.span.bytes, at: 0), passes: passes, memoryByteCount: memory)
        #expect(hex(key) == expected)
    }

    @Test(arguments: [(0, 8192), (1, 0), (1, 8191), (1, .max), (1, 1 << 62)] as [(UInt32, UInt64)])
    func `costs that Argon2id does not take are refused`(_ passes: UInt32, _ memory: UInt64) {
        #expect(throws: DerivationError.costOutOfRange) {
            try Derivation.argon2id(
                passphrase: secret([1]), salt: .zero, passes: passes, memoryByteCount: memory)
        }
    }

    @Test func `an empty passphrase derives a key too`() throws {
        let key = try Derivation.argon2id(
            passphrase: SecretBytes(count: 0), salt: .zero, passes: 1, memoryByteCount: 8192)
        #expect(key.count == 32)
    }

    /// libsodium leaves it there, and what comes later may not overwrite it. The first derivation
    /// binds symbols and fills caches, which do.
    @Test func `Argon2id leaves no key on the stack`() throws {
        let stack = try Stack()
        defer { stack.unmap() }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        #expect(pthread_attr_setstack(&attributes, stack.start, Stack.byteCount) == 0)
        var thread: pthread_t = 0
        let context = Unmanaged.passUnretained(stack).toOpaque()
        let started = pthread_create(
            &thread, &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<Stack>.fromOpaque(context).takeUnretainedValue().deriveAndSearch()
                return nil
            }, context)
        #expect(started == 0)
        pthread_join(thread, nil)
        #expect(stack.isSearched && !stack.hasKey)
    }
}

/// A thread's stack, which the thread searches itself.
private final class Stack {
    static let byteCount = 1 << 20
    let start: UnsafeMutableRawPointer
    private(set) var isSearched = false
    private(set) var hasKey = false

    init() throws {
        start = try #require(
            mmap(
                nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    }

    func unmap() { munmap(start, Self.byteCount) }

    func deriveAndSearch() {
        _ = try? Self.derived()
        guard let key = try? Self.derived() else { return }
        key.withBytes { key in
            guard let first = key.baseAddress else { return }
            for offset in 0..<Self.byteCount - key.count
            where memcmp(start + offset, first, key.count) == 0 { hasKey = true }
            isSearched = true
        }
    }

    private static func derived() throws -> SecretBytes {
        try Derivation.argon2id(
            passphrase: secret([1]), salt: .zero, passes: 1, memoryByteCount: 64 << 10)
    }
}
