// The content of a file outside any mount that is plain on disk, an unmanaged owner's behind its
// header: no daemon is needed to open it.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMModel
internal import MAMPlaces
internal import MAMStore
internal import MAMSystem
internal import MAMWire

struct PlainCopy {
    private let source: Source
    private let size: Int64
    /// Where the content begins.
    private let base: Int64

    /// Nil for a file that only a daemon opens. `orForeign`: also of what has no header.
    init?(of source: Source, orForeign: Bool = false) throws(Failure) {
        guard workspace(of: source.descriptor) == nil else { return nil }
        let physicalSize = Int64(source.attributes.st_size)
        let facts = try naming(
            source.path, FileFacts(of: source.descriptor, physicalSize: physicalSize))
        switch facts {
        case .protected(let header) where !header.isManaged: base = Int64(Layout.headerByteCount)
        case .empty, .unwritten, .foreign:
            guard orForeign else { return nil }
            base = 0
        case .protected, .damaged: return nil
        }
        self.source = source
        size = facts.plainSize(ofPhysical: physicalSize)
    }

    /// Returns the count of bytes. Holes stay holes.
    func write(
        into destination: Descriptor, _ progress: ConversionProgress
    ) throws(Failure) -> Int {
        try naming(source.path, setSize(destination.raw, size))
        var offset = try next(.data, from: 0)
        while offset < size {
            let end = try next(.hole, from: offset)
            try read(offset..<end) { bytes, place throws(Failure) in
                try naming(source.path, writeFully(destination.raw, from: bytes, at: place))
                progress.add(bytes.count)
            }
            offset = try next(.data, from: end)
        }
        return Int(size)
    }

    /// Writes to standard output. `isFirst`: whether these are the first bytes.
    func show(
        _ body: (_ bytes: [UInt8], _ isFirst: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        try read(0..<size) { bytes, place throws(Failure) in try body(Array(bytes), place == 0) }
    }

    private static let chunkByteCount = 1 << 20

    private func read(
        _ range: Range<Int64>,
        _ body: (UnsafeRawBufferPointer, Int64) throws(Failure) -> Void
    ) throws(Failure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.chunkByteCount, alignment: 4096)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<Int(min(Int64(buffer.count), range.upperBound - offset))])
            let count = try naming(
                source.path, readFully(source.descriptor.raw, into: wanted, at: offset + base))
            guard count == wanted.count else {
                throw Failure(
                    .failure, "\(source.path.shown) has become shorter meanwhile",
                    next: "close it in other programs and try again")
            }
            try body(UnsafeRawBufferPointer(wanted), offset)
            offset += Int64(count)
        }
    }

    /// Where data or a hole begins at or after `offset`; the size, if none does.
    private func next(_ region: Region, from offset: Int64) throws(Failure) -> Int64 {
        guard offset < size else { return size }
        let found = lseek(source.descriptor.raw, off_t(offset + base), region.whence)
        if found >= 0 { return min(size, max(offset, Int64(found) - base)) }
        // ENXIO: no data follows. What has no holes is data to its end.
        return region == .data && errno != ENXIO ? offset : size
    }
}
