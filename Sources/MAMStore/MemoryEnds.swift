// Stream ends in memory, for strings.

package final class MemoryEnds: StreamEnds {
    private var rest: ArraySlice<UInt8>
    package private(set) var output: [UInt8] = []

    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) -> Int {
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
    }

    package func write(
        _ bytes: UnsafeRawBufferPointer, while isWanted: () -> Bool
    ) throws(StoreError) { output.append(contentsOf: bytes) }
}
