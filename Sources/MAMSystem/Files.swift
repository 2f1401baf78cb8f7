// Files by descriptor: open, read, write, size, sync. Paths are C strings: names are bytes.

internal import CShims
package import Glibc
internal import Synchronization

/// `AT_FDCWD`: paths start at the working directory.
package let workingDirectory: Int32 = AT_FDCWD

/// `O_PATH`, which glibc shows only under _GNU_SOURCE.
package let openPathOnly: Int32 = 0x20_0000

/// `O_TMPFILE`: a file without a name, in the directory that is opened.
package let openTemporary: Int32 = 0o20_000_000 | O_DIRECTORY

/// `O_NOATIME`.
package let openWithoutAccessTime: Int32 = 0o1_000_000

/// openat(2), close-on-exec.
package func openFile(
    at directory: Int32 = workingDirectory, _ path: UnsafePointer<CChar>, _ flags: Int32,
    mode: mode_t = 0
) throws(Errno) -> Descriptor {
    Descriptor(
        owning: try retrying { mam_openat(directory, path, flags | O_CLOEXEC, mode) })
}

/// Opens a path that cannot lead out of `directory`: no `..` above it, no symbolic links.
package func openBeneath(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, mode: mode_t = 0
) throws(Errno) -> Descriptor {
    Descriptor(
        owning: try retrying { mam_open_beneath(directory, path, flags | O_CLOEXEC, mode) })
}

/// Opens again what `descriptor` refers to (it may be an `O_PATH` one), with other flags.
package func reopen(_ descriptor: Int32, _ flags: Int32) throws(Errno) -> Descriptor {
    try withProcPath(of: descriptor) { path throws(Errno) in
        try openFile(procPath: path, flags)
    }
}

/// openat(2) of a path that ``withProcPath(of:_:)`` lends; by the shorter way once that is kept.
package func openFile(
    procPath path: UnsafePointer<CChar>, _ flags: Int32
) throws(Errno) -> Descriptor {
    guard let (directory, relative) = keptProcDescriptor(path) else {
        return try openFile(path, flags)
    }
    return try openFile(at: directory, relative, flags)
}

/// A path of ``withProcPath(of:_:)``'s from the directory that ``keepProcDescriptors()`` keeps; nil
/// if it keeps none.
func keptProcDescriptor(
    _ path: UnsafePointer<CChar>
) -> (directory: Int32, relative: UnsafePointer<CChar>)? {
    let directory = procDescriptors.load(ordering: .relaxed)
    guard directory >= 0 else { return nil }
    return (directory, path + procPrefix.utf8CodeUnitCount)
}

/// From now on files are opened again from the directory of this process's descriptors, and not
/// each time from `/` on: that is a quarter of what it costs. For a process that does not fork any
/// more: a child's would be its parent's.
package func keepProcDescriptors() {
    guard procDescriptors.load(ordering: .relaxed) < 0 else { return }
    let opened = mam_openat(
        workingDirectory, "/proc/self/fd", openPathOnly | O_DIRECTORY | O_CLOEXEC, 0)
    guard opened >= 0 else { return }
    let found = procDescriptors.compareExchange(
        expected: -1, desired: opened, ordering: .relaxed)
    if !found.exchanged { close(opened) }
}

private let procDescriptors = Atomic<Int32>(-1)

private let procPrefix: StaticString = "/proc/self/fd/"

/// The path `/proc/self/fd/N` as a C string, for calls that take no `AT_EMPTY_PATH`.
package func withProcPath<Result>(
    of descriptor: Int32, _ body: (UnsafePointer<CChar>) throws(Errno) -> Result
) throws(Errno) -> Result {
    // "/proc/self/fd/" and ten digits at most, built without a String: this is on the way of every
    // open.
    var buffer: InlineArray<32, CChar> = .init(repeating: 0)
    var at = 0
    while at < procPrefix.utf8CodeUnitCount {
        buffer[at] = CChar(bitPattern: procPrefix.utf8Start[at])
        at += 1
    }
    var divisor: Int32 = 1
    while descriptor / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
        buffer[at] = CChar(48 + (descriptor / divisor) % 10)
        at += 1
        divisor /= 10
    }
    // `withUnsafePointer` rethrows any error; the result carries a typed one across.
    let result: Swift.Result<Result, Errno> = withUnsafePointer(to: &buffer) { array in
        array.withMemoryRebound(to: CChar.self, capacity: 32) { path in
            do throws(Errno) { return .success(try body(path)) } catch { return .failure(error) }
        }
    }
    return try result.get()
}

/// readlink(2).
package func linkTarget(_ path: UnsafePointer<CChar>) throws(Errno) -> ByteString {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try retrying { readlink(path, &buffer, buffer.count) }
    return ByteString(buffer.prefix(count).map { UInt8(bitPattern: $0) })
}

/// The path at which a descriptor's file lies now; with ` (deleted)` behind it if it has none.
package func currentPath(of descriptor: Int32) throws(Errno) -> ByteString {
    try withProcPath(of: descriptor) { link throws(Errno) in try linkTarget(link) }
}

/// fstat(2).
package func status(of descriptor: Int32) throws(Errno) -> stat {
    var value = stat()
    _ = try retrying { fstat(descriptor, &value) }
    return value
}

/// When a file was made, in nanoseconds since 1970, `O_PATH` too; 0 where the file system does not
/// know. Nothing but the file system sets that time.
package func birthTime(of descriptor: Int32) throws(Errno) -> Int64 {
    try retrying { mam_birth_time(descriptor) }
}

/// fstatat(2); with an empty path it is the descriptor's own status, `O_PATH` too.
package func status(
    at directory: Int32, _ path: UnsafePointer<CChar>, followLinks: Bool = false
) throws(Errno) -> stat {
    var value = stat()
    let flags = Int32(MAM_EMPTY_PATH) | (followLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    _ = try retrying { fstatat(directory, path, &value, flags) }
    return value
}

/// Reads until the buffer is full or the file ends; returns the count.
package func readFully(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
) throws(Errno) -> Int {
    var done = 0
    while done < buffer.count {
        let count = try retrying {
            pread(
                descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done,
                off_t(offset) + done)
        }
        if count == 0 { break }
        done += count
    }
    return done
}

/// The first bytes of a file; fewer of a shorter one.
package func readHead(of descriptor: Int32, byteCount: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var span = bytes.mutableSpan
    let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
        try readFully(descriptor, into: buffer, at: 0)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// Writes all bytes; a short write is continued, so that what it throws is the real reason.
package func writeFully(
    _ descriptor: Int32, from buffer: UnsafeRawBufferPointer, at offset: Int64
) throws(Errno) {
    var done = 0
    while done < buffer.count {
        try Faults.check(.write)
        let count = try retrying {
            pwrite(
                descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done,
                off_t(offset) + done)
        }
        if count == 0 { throw .ioError }
        done += count
    }
}

/// ftruncate(2).
package func setSize(_ descriptor: Int32, _ size: Int64) throws(Errno) {
    try Faults.check(.truncate)
    _ = try retrying { ftruncate(descriptor, off_t(size)) }
}

/// `UTIME_OMIT`, from <bits/stat.h>: this time stays.
package let utimeOmit = (1 << 30) - 2

/// futimens(2) of the time of the last change alone.
package func setModificationTime(of descriptor: Int32, to time: timespec) throws(Errno) {
    let times = [timespec(tv_sec: 0, tv_nsec: utimeOmit), time]
    _ = try retrying { futimens(descriptor, times) }
}

/// fsync(2), or fdatasync(2).
package func synchronize(_ descriptor: Int32, dataOnly: Bool = false) throws(Errno) {
    try Faults.check(.sync)
    _ = try retrying { dataOnly ? fdatasync(descriptor) : fsync(descriptor) }
}

/// syncfs(2): all that was written to the file system that a descriptor's file is on.
package func synchronizeFileSystem(of descriptor: Int32) throws(Errno) {
    try Faults.check(.sync)
    _ = try retrying { mam_sync_file_system(descriptor) }
}

/// sync_file_range(2) from an offset to the end: has its dirty pages sent to the disk now, without
/// waiting for them.
///
/// A failure is no news: it is kept for the next sync.
package func startWriteBack(_ descriptor: Int32, from offset: Int64) {
    mam_start_write_back(descriptor, offset)
}

/// Frees a range and keeps the size; reads of it give zeros.
package func punchHole(_ descriptor: Int32, at offset: Int64, count: Int64) throws(Errno) {
    try Faults.check(.allocate)
    _ = try retrying {
        mam_fallocate(
            descriptor, Int32(MAM_PUNCH_HOLE | MAM_KEEP_SIZE), offset, count)
    }
}

/// What a part of a file is.
package enum Region: Sendable {
    case data
    case hole

    /// lseek(2)'s `SEEK_DATA` and `SEEK_HOLE`, which glibc shows only under _GNU_SOURCE.
    var whence: Int32 { self == .data ? 3 : 4 }

    package init?(whence: Int32) {
        switch whence {
        case Region.data.whence: self = .data
        case Region.hole.whence: self = .hole
        default: return nil
        }
    }
}

/// Where the next data or hole begins, at `offset` or after it; `ENXIO` beyond the end, and for
/// data in the hole before it.
package func find(
    _ region: Region, in descriptor: Int32, from offset: Int64
) throws(Errno) -> Int64 {
    try Faults.check(.seek)
    return Int64(try retrying { lseek(descriptor, off_t(offset), region.whence) })
}

/// fallocate(2): reserves space, beyond the end too when `keepSize`.
package func reserveSpace(
    _ descriptor: Int32, at offset: Int64, count: Int64, keepSize: Bool
) throws(Errno) {
    try Faults.check(.allocate)
    _ = try retrying {
        mam_fallocate(
            descriptor, keepSize ? Int32(MAM_KEEP_SIZE) : 0, offset, count)
    }
}

/// The start of the next stored bytes at or after an offset; nil if only a hole follows. A file
/// system that does not know its holes stores everything. Moves the descriptor's own position,
/// which nothing here goes by.
package func nextData(in file: Descriptor, from offset: Int64) throws(Errno) -> Int64? {
    do throws(Errno) { return try find(.data, in: file.raw, from: offset) } catch {
        switch error {
        case .noSuchAddress: return nil
        case .invalid: return offset
        default: throw error
        }
    }
}

/// The start of the next hole after stored bytes, at most `end`.
package func nextHole(
    in file: Descriptor, from offset: Int64, before end: Int64
) throws(Errno) -> Int64 {
    do throws(Errno) { return min(end, try find(.hole, in: file.raw, from: offset)) } catch {
        guard error == .invalid else { throw error }
        return end
    }
}
