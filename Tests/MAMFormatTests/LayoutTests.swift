import MAMFormat
import Testing

@Suite struct LayoutTests {
    struct Row: Sendable {
        let plain, blocks, physical: Int64
        let use: Int
    }

    /// The numbers of docs/FORMAT.md, sections 1.2 and 1.5, and both sides of each edge.
    static let rows = [
        Row(plain: 0, blocks: 1, physical: 4096, use: 0),
        Row(plain: 1, blocks: 1, physical: 4097, use: 1),
        Row(plain: 5, blocks: 1, physical: 4101, use: 5),
        Row(plain: 100, blocks: 1, physical: 4196, use: 100),
        Row(plain: 3039, blocks: 1, physical: 7135, use: 3039),
        Row(plain: 3040, blocks: 1, physical: 7136, use: 3040),
        Row(plain: 3041, blocks: 2, physical: 8193, use: 1),
        Row(plain: 7103, blocks: 2, physical: 12255, use: 4063),
        Row(plain: 7104, blocks: 2, physical: 12256, use: 4064),
        Row(plain: 7105, blocks: 3, physical: 12289, use: 1),
        Row(plain: 10_000, blocks: 3, physical: 15_184, use: 2896),
        Row(plain: 1_000_000, blocks: 247, physical: 1_012_992, use: 1280),
    ]

    @Test(arguments: rows)
    func `a plain size gives the documented physical size, and that the plain size again`(row: Row)
    {
        #expect(Layout.blockCount(plainSize: row.plain) == row.blocks)
        #expect(Layout.lastBlockUse(plainSize: row.plain) == row.use)
        #expect(Extent(plainSize: row.plain).physicalSize == row.physical)
        #expect(Extent(physicalSize: row.physical)?.plainSize == row.plain)
    }

    @Test func `every plain size up to five blocks survives the way to a physical size and back`() {
        for plain in Int64(0)...20_000 {
            let extent = Extent(physicalSize: Extent(plainSize: plain).physicalSize)
            #expect(extent == Extent(plainSize: plain))
            #expect(extent?.plainSize == plain)
        }
    }

    @Test(
        arguments: [0, 1, 1023, 1024, 4095, 4096 + 3041, 8191, 8192 + 4065, 12_287, .max] as [Int64]
    )
    func `a physical size that no file has is refused`(size: Int64) {
        #expect(Extent(physicalSize: size) == nil)
    }

    @Test func `each plain offset lies in the block whose range holds it`() {
        for offset in Int64(0)...20_000 {
            let block = Layout.block(at: offset)
            let start = Layout.plainOffset(ofBlock: block)
            #expect(start <= offset)
            #expect(offset < start + Int64(Layout.capacity(ofBlock: block)))
        }
    }

    @Test func `the largest file can be opened again, and one byte more is one that no file has`() {
        let largest = Extent(plainSize: Layout.maximumPlainSize)
        #expect(largest.plainSize == Layout.maximumPlainSize)
        #expect(Extent(physicalSize: largest.physicalSize) == largest)
        let larger = Extent(plainSize: Layout.maximumPlainSize + 1)
        #expect(Extent(physicalSize: larger.physicalSize) == nil)
    }
}
