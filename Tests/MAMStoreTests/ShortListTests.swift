import MAMStore
import Testing

@Suite struct ShortListTests {
    /// Whatever goes, and whatever comes then.
    @Test func `it keeps the order`() {
        for gone in 0..<(1 << 4) {
            var (list, array) = (ShortList<Int>(), [Int]())
            for number in 0..<4 {
                list.append(number)
                array.append(number)
            }
            list.removeAll { gone >> $0 & 1 == 1 }
            array.removeAll { gone >> $0 & 1 == 1 }
            list.append(4)
            array.append(4)
            #expect(Array(list) == array)
        }
    }

    @Test func `each element can be changed in its place`() {
        var list = ShortList<Int>()
        #expect(list.isEmpty)
        for number in 0..<3 { list.append(number) }
        for index in list.indices { list[index] *= 10 }
        #expect(Array(list) == [0, 10, 20])
    }
}
