// Content that is not encrypted: files of unmanaged owners and foreign files.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

/// Plain content after `base` bytes: a header of 1024, none in a foreign file, or a whole block of
/// a sealed file that was never written.
final class PlainContent {
    var descriptor: Descriptor
    let header: FileHeader?
    let base: Int64

    init(descriptor: Descriptor, header: FileHeader?) {
        self.descriptor = descriptor
        self.header = header
        base = header == nil ? 0 : Int64(Layout.headerByteCount)
    }

    /// The next writer begins it again: ``StoredFile/startOver(as:key:isNoted:sealer:)``.
    init(unwritten descriptor: Descriptor) {
        self.descriptor = descriptor
        header = nil
        base = Int64(Layout.blockByteCount)
    }

    var isUnwritten: Bool { base == Int64(Layout.blockByteCount) }

    func size() throws(StoreError) -> Int64 {
        max(0, try physicalSize(of: descriptor) - base)
    }

    func read(
        into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        let physical = try shifted(offset, count: out.count)
        return try system { () throws(Errno) in
            try readFully(descriptor.raw, into: out, at: physical)
        }
    }

    /// `size`: the present one, which the file keeps if the write fails.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, keeping size: Int64
    ) throws(StoreError) {
        let physical = try shiftedForChange(offset, count: bytes.count)
        try growing(from: size) { () throws(Errno) in
            try writeFully(descriptor.raw, from: bytes, at: physical)
        }
    }

    /// What a failed call has stored behind the end would be read as soon as the file is longer.
    private func growing(
        from size: Int64, _ call: () throws(Errno) -> Void
    ) throws(StoreError) {
        do throws(Errno) { try call() } catch {
            if let now = try? self.size(), now > size {
                _ = try? setSize(descriptor.raw, base + size)
            }
            throw .system(error)
        }
    }

    func truncate(to size: Int64) throws(StoreError) {
        let physical = try shiftedForChange(size, count: 0)
        try system { () throws(Errno) in try setSize(descriptor.raw, physical) }
    }

    func zero(_ range: Range<Int64>) throws(StoreError) {
        let physical = try shiftedForChange(range.lowerBound, count: range.count)
        try system { () throws(Errno) in
            try punchHole(descriptor.raw, at: physical, count: Int64(range.count))
        }
    }

    /// `size`: as in ``write(_:at:keeping:)``.
    func reserve(
        _ range: Range<Int64>, keepSize: Bool, keeping size: Int64
    ) throws(StoreError) {
        let physical = try shiftedForChange(range.lowerBound, count: range.count)
        try growing(from: size) { () throws(Errno) in
            try reserveSpace(
                descriptor.raw, at: physical, count: Int64(range.count), keepSize: keepSize)
        }
    }

    /// An unwritten file's content would be plain, although the file is marked as sealed.
    private func shiftedForChange(_ offset: Int64, count: Int) throws(StoreError) -> Int64 {
        guard !isUnwritten else { throw .header(.gone) }
        return try shifted(offset, count: count)
    }

    private func shifted(_ offset: Int64, count: Int) throws(StoreError) -> Int64 {
        guard offset >= 0, offset <= Layout.maximumPlainSize - Int64(count) else {
            throw .system(.fileTooLarge)
        }
        return offset + base
    }
}
