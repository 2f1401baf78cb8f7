// Counters and slots that threads on different processors do not share.

internal import CShims
internal import Glibc
package import Synchronization

/// A number for each processor, each on a cache line of its own: a line that several processors
/// write moves between them with each write, and the more processors, the longer each waits for it.
package struct PerProcessor: ~Copyable, @unchecked Sendable {
    package struct Place: ~Copyable {
        package let value = Atomic<Int>(0)
        // Fills the line.
        private let rest: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
    }

    // Never changes; the values are atomic.
    private let places: UnsafeMutablePointer<Place>
    package let count: Int

    /// All are 0. With more processors than `most`, a power of two, some share a number.
    package init(most: Int = 64) {
        var count = 1
        while count < Self.processorCount, count < most { count *= 2 }
        self.count = count
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: count * MemoryLayout<Place>.stride, alignment: 64)
        places = room.bindMemory(to: Place.self, capacity: count)
        for index in 0..<count { (places + index).initialize(to: Place()) }
    }

    deinit {
        places.deinitialize(count: count)
        places.deallocate()
    }

    /// The number of the processor where the thread runs, which may change at any time.
    package var here: Int { Int(mam_processor()) & (count - 1) }

    package subscript(index: Int) -> UnsafePointer<Place> { UnsafePointer(places + index) }

    private static let processorCount = sysconf(Int32(_SC_NPROCESSORS_CONF))
}
