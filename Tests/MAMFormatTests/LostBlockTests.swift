import MAMFormat
import Testing

@Suite struct LostBlockTests {
    @Test(arguments: [3072, 4096], [0, 1, 2897, UInt16.max])
    func `a mark is known again, with its end and no other`(count: Int, end: UInt16) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        defer { block.deallocate() }
        block.initializeMemory(as: UInt8.self, repeating: 0xA5)
        LostBlock.encode(endMark: end, into: block)
        #expect(LostBlock.matches(UnsafeRawBufferPointer(block), endMark: end))
        #expect(!LostBlock.matches(UnsafeRawBufferPointer(block), endMark: end ^ 1))
        for changed in [0, 7, 8, 14, 16, count - 1] {
            block[changed] ^= 1
            #expect(!LostBlock.matches(UnsafeRawBufferPointer(block), endMark: end))
            block[changed] ^= 1
        }
    }
}
