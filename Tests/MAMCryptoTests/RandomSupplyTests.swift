import MAMCrypto
import MAMModel
import Testing

@Suite struct RandomSupplyTests {
    /// Two draws of the same bytes would be two files under one key.
    @Test(arguments: [0, 15, 16, 40, 128])
    func `nothing is given twice, whether it was drawn ahead or not`(_ ahead: Int) {
        var found: [Bytes16] = []
        for _ in 0..<100 {
            SecureRandom.drawingAtOnce(ahead) {
                for _ in 0..<10 { found.append(SecureRandom.bytes16()) }
                SecureRandom.drawingAtOnce(32) { found.append(SecureRandom.bytes16()) }
                found.append(SecureRandom.bytes16())
            }
            found.append(SecureRandom.bytes16())
        }
        #expect(Set(found).count == found.count)
        #expect(!found.contains(Bytes16(high: 0, low: 0)))
    }

    @Test func `keys and what is larger than what was drawn ahead are whole`() {
        SecureRandom.drawingAtOnce(48) {
            let key = SecretBytes.random(count: 32)
            let other = SecretBytes.random(count: 4096)
            #expect(!key.equals(SecretBytes(count: 32)))
            other.withBytes { bytes in
                let end = bytes[4064...]
                #expect(end.contains { $0 != 0 })
            }
        }
    }

    @Test func `an error passes`() {
        struct Failure: Error {}
        #expect(throws: Failure.self) {
            try SecureRandom.drawingAtOnce(16) { () throws(Failure) in throw Failure() }
        }
    }
}
