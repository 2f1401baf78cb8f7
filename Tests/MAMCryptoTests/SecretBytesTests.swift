import MAMCrypto
import Synchronization
import Testing

@Suite struct SecretBytesTests {
    @Test(arguments: [0, 1, 31, 32, 33, 4096, 100_000])
    func `a new secret is zeros of its length`(_ count: Int) {
        let secret = SecretBytes(count: count)
        secret.withBytes { bytes in
            #expect(bytes.count == count)
            #expect(bytes.allSatisfy { $0 == 0 })
        }
    }

    @Test func `slots come back zeroed and hold many keys at once`() {
        for _ in 0..<3 {
            let many = (0..<5000).map { _ in SecretBytes(count: 32) }
            for secret in many {
                secret.withMutableBytes { bytes in
                    #expect(bytes.allSatisfy { $0 == 0 })
                    bytes.initializeMemory(as: UInt8.self, repeating: 0xAB)
                }
            }
            #expect(many.allSatisfy { $0.withBytes { $0.allSatisfy { $0 == 0xAB } } })
        }
    }

    @Test(arguments: [1, 256, 257, 4224, 300_000])
    func `random bytes are there up to the last one`(_ count: Int) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { bytes.deallocate() }
        // A byte is zero in each of so many tries once in 2^64.
        var wasSet = [Bool](repeating: false, count: count)
        for _ in 0..<8 {
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            SecureRandom.fill(bytes)
            for index in 0..<count where bytes[index] != 0 { wasSet[index] = true }
        }
        #expect(!wasSet.contains(false))
    }

    @Test func `random secrets differ`() {
        #expect(!SecretBytes.random(count: 32).equals(.random(count: 32)))
        #expect(SecureRandom.bytes16() != SecureRandom.bytes16())
    }

    @Test func `equality looks at all bytes and the length`() {
        let one = secret([1, 2, 3])
        #expect(one.equals(one))
        #expect(one.equals(secret([1, 2, 3])))
        #expect(!one.equals(secret([1, 2, 4])))
        #expect(!one.equals(secret([1, 2])))
    }

    @Test func `joining puts one after the other`() {
        let joined = SecretBytes.joining(secret([1, 2]), secret([3]))
        #expect(hex(joined) == "010203")
        let erased = secret([3])
        erased.erase()
        #expect(SecretBytes.joining(secret([1, 2]), erased).count == 0)
    }

    @Test func `an erased secret reads as empty and equals nothing`() {
        let erased = secret([1, 2, 3])
        erased.erase()
        erased.erase()
        erased.withBytes { #expect($0.isEmpty) }
        #expect(erased.count == 3)
        #expect(!erased.equals(erased))
        #expect(!erased.equals(secret([0, 0, 0])))
    }

    @Test func `erasing waits for the reader that is inside`() {
        let secret = SecretBytes.random(count: 32)
        let kept = secret.withBytes { before in
            secret.erase()
            // Still here for this reader, gone for the next one.
            secret.withBytes { #expect($0.isEmpty) }
            return before.contains { $0 != 0 }
        }
        #expect(kept)
        secret.withBytes { #expect($0.isEmpty) }
    }

    @Test(arguments: [32, 5000]) func `erasing zeroes the memory itself`(_ count: Int) throws {
        let secret = SecretBytes(count: count) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 7)
        }
        // The memory stays the secret's until it goes, so that looking past the loan is no fault
        // here.
        let start = try #require(secret.withBytes { UnsafeRawPointer($0.baseAddress) })
        secret.withBytes { _ in
            secret.erase()
            #expect(start.load(as: UInt8.self) == 7)
        }
        #expect(UnsafeRawBufferPointer(start: start, count: count).allSatisfy { $0 == 0 })
        withExtendedLifetime(secret) {}
    }

    @Test func `readers on other threads see the whole secret or nothing`() {
        let torn = Atomic<Int>(0)
        for _ in 0..<50 {
            let secret = SecretBytes(count: 32) { bytes in
                bytes.initializeMemory(as: UInt8.self, repeating: 7)
            }
            onThreads(4) { index in
                if index == 3 { secret.erase() }
                secret.withBytes { bytes in
                    let isWhole = bytes.isEmpty || bytes.allSatisfy { $0 == 7 }
                    if !isWhole { torn.add(1, ordering: .relaxed) }
                }
            }
        }
        #expect(torn.load(ordering: .relaxed) == 0)
    }

    @Test func `a secret does not show in text`() {
        let text = "the passphrase"
        let secret = secret(Array(text.utf8))
        var dumped = ""
        dump(["key": secret], to: &dumped)
        #expect("\(secret)" == "SecretBytes(14)")
        #expect(!dumped.contains("0x") && !dumped.contains(text))
    }

    @Test func `writing to a secret that others read is a fault`() async {
        await #expect(processExitsWith: .failure) {
            let secret = SecretBytes(count: 8)
            secret.withBytes { _ in secret.withMutableBytes { _ in } }
        }
    }
}
