import MAMCrypto
import Testing

@Suite struct SecureRandomTests {
    /// Below and above the length from which they are expanded from a seed.
    @Test(arguments: [1, 16, 17, 258])
    func `nonces differ, within a call and from call to call`(_ count: Int) {
        var met: Set<[UInt8]> = []
        for _ in 0..<20 {
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: count * AESGCM.nonceByteCount, alignment: 16)
            defer { memory.deallocate() }
            SecureRandom.fillNonces(memory)
            for start in stride(from: 0, to: memory.count, by: AESGCM.nonceByteCount) {
                met.insert(Array(memory[start..<start + AESGCM.nonceByteCount]))
            }
        }
        #expect(met.count == 20 * count)
    }
}
