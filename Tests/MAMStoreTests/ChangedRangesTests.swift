import Testing

@testable import MAMStore

@Suite("What of a file changed")
struct ChangedRangesTests {
    @Test("Exactly what was added while there is room, and no less with more", arguments: 0..<8)
    func random(seed: UInt64) {
        var source = SeededNumbers(state: seed)
        var (changed, added) = (ChangedRanges(), Set<Int64>())
        for count in 1...120 {
            let start = Int64.random(in: 0..<9000, using: &source)
            let range = start..<start + Int64.random(in: 0..<90, using: &source)
            changed.add(range)
            added.formUnion(range)
            let found = Set(changed.all.flatMap(Array.init))
            #expect(found.isSuperset(of: added))
            if count <= ChangedRanges.maximumCount { #expect(found == added) }
            #expect(changed.all.count <= ChangedRanges.maximumCount)
            let neighbours = zip(changed.all, changed.all.dropFirst())
            #expect(neighbours.allSatisfy { $0.upperBound < $1.lowerBound })
        }
    }

    @Test("Both ends of a file are not all of it")
    func bothEnds() {
        var changed = ChangedRanges()
        let offsets: [Int64] = [0, 4096, 1 << 40, 100, .max - 10]
        for offset in offsets { changed.add(offset..<offset + 10) }
        #expect(changed.all.map(\.count) == [10, 10, 10, 10, 10])
        changed.add(0..<Int64.max)
        #expect(changed.all == [0..<Int64.max])
    }
}
