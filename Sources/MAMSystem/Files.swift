// Files by descriptor: open, read, write, size, sync, lock. Paths are C strings: names are bytes.

internal import CShims
package import Glibc
package import MAMModel
internal import Synchronization

/// `AT_FDCWD`: paths are relative to the working directory.
package let workingDirectory: Int32 = AT_FDCWD

/// `O_PATH`, which glibc defines only with _GNU_SOURCE.
package let openPathOnly: Int32 = 0x20_0000

/// `O_TMPFILE`: an unnamed file in the given directory.
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

/// Opens a path that cannot leave `directory`: no `..` above it, no symbolic links.
package func openBeneath(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, mode: mode_t = 0
) throws(Errno) -> Descriptor {
    Descriptor(
        owning: try retrying { mam_open_beneath(directory, path, flags | O_CLOEXEC, mode) })
}

/// Reopens `descriptor`, which may be an `O_PATH` one, with other flags.
package func reopen(_ descriptor: Int32, _ flags: Int32) throws(Errno) -> Descriptor {
    try withProcPath(of: descriptor) { path throws(Errno) in
        try openFile(procPath: path, flags)
    }
}

/// openat(2) of a path from ``withProcPath(of:_:)``, relative to the kept /proc directory if there
/// is one.
package func openFile(
    procPath path: UnsafePointer<CChar>, _ flags: Int32
) throws(Errno) -> Descriptor {
    guard let (directory, relative) = keptProcDescriptor(path) else {
        return try openFile(path, flags)
    }
    return try openFile(at: directory, relative, flags)
}

/// The part of a ``withProcPath(of:_:)`` path below the directory that ``keepProcDescriptors()``
/// keeps open; nil if it keeps none.
func keptProcDescriptor(
    _ path: UnsafePointer<CChar>
) -> (directory: Int32, relative: UnsafePointer<CChar>)? {
    let directory = procDescriptors.load(ordering: .relaxed)
    guard directory >= 0 else { return nil }
    return (directory, path + procPrefix.utf8CodeUnitCount)
}

/// Keeps /proc/self/fd open, so that files are reopened relative to it instead of from `/`: that
/// takes a quarter of the time. Only for a process that does not fork: a child would use its
/// parent's directory.
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

/// The path `/proc/self/fd/N` as a C string, for calls without `AT_EMPTY_PATH`.
package func withProcPath<Result>(
    of descriptor: Int32, _ body: (UnsafePointer<CChar>) throws(Errno) -> Result
) throws(Errno) -> Result {
    // "/proc/self/fd/" and at most ten digits, built without a String: every open comes here.
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

/// Whether this process's program was deleted or replaced since it started; false if not known.
package var isProgramReplaced: Bool {
    let suffix = Array(" (deleted)".utf8)
    return (try? linkTarget("/proc/self/exe"))?.bytes.suffix(suffix.count).elementsEqual(suffix)
        ?? false
}

/// readlink(2).
package func linkTarget(_ path: UnsafePointer<CChar>) throws(Errno) -> ByteString {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try retrying { readlink(path, &buffer, buffer.count) }
    return ByteString(buffer.prefix(count).map { UInt8(bitPattern: $0) })
}

/// The current path of a descriptor's file, with ` (deleted)` appended if it has none.
package func currentPath(of descriptor: Int32) throws(Errno) -> ByteString {
    try withProcPath(of: descriptor) { link throws(Errno) in try linkTarget(link) }
}

/// fstat(2).
package func status(of descriptor: Int32) throws(Errno) -> stat {
    var value = stat()
    _ = try retrying { fstat(descriptor, &value) }
    return value
}

/// When a file was created, in nanoseconds since 1970, also for `O_PATH`; 0 where the file system
/// does not know. No program can set it.
package func birthTime(of descriptor: Int32) throws(Errno) -> Int64 {
    try retrying { mam_birth_time(descriptor) }
}

/// fstatat(2); an empty path means the descriptor itself, also `O_PATH`.
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

/// The first bytes of a file, or all of a shorter one.
package func readHead(of descriptor: Int32, byteCount: Int) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    var span = bytes.mutableSpan
    let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
        try readFully(descriptor, into: buffer, at: 0)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// Writes all bytes. Continues after a short write, so that the error thrown is the actual one.
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

/// `UTIME_OMIT` of <bits/stat.h>: leaves a time unchanged.
package let utimeOmit = (1 << 30) - 2

/// futimens(2) that sets the modification time only.
package func setModificationTime(of descriptor: Int32, to time: timespec) throws(Errno) {
    let times = [timespec(tv_sec: 0, tv_nsec: utimeOmit), time]
    _ = try retrying { futimens(descriptor, times) }
}

/// fsync(2), or fdatasync(2).
package func synchronize(_ descriptor: Int32, dataOnly: Bool = false) throws(Errno) {
    try Faults.check(.sync)
    _ = try retrying { dataOnly ? fdatasync(descriptor) : fsync(descriptor) }
}

/// syncfs(2): syncs the file system of a descriptor's file.
package func synchronizeFileSystem(of descriptor: Int32) throws(Errno) {
    try Faults.check(.sync)
    _ = try retrying { mam_sync_file_system(descriptor) }
}

/// sync_file_range(2) from `offset` to the end: starts writing dirty pages without waiting.
///
/// Ignores failure: the next sync reports it.
package func startWriteBack(_ descriptor: Int32, from offset: Int64) {
    mam_start_write_back(descriptor, offset)
}

/// The same within milliseconds, together with other files. Only for small files: a sync waits
/// until all of them have begun.
package func startWriteBackSoon(_ file: Descriptor, from offset: Int64) {
    WriteBackQueue.shared.add(file, from: offset)
}

/// ``synchronize(_:dataOnly:)`` of a file or directory in the store. The sizes of other files
/// become durable with it, so what waits to be written begins before.
package func synchronizeStored(_ descriptor: Int32, dataOnly: Bool) throws(Errno) {
    WriteBackQueue.shared.beginAll(except: descriptor)
    try synchronize(descriptor, dataOnly: dataOnly)
}

/// Deallocates a range, which then reads as zeros; keeps the size.
package func punchHole(_ descriptor: Int32, at offset: Int64, count: Int64) throws(Errno) {
    try Faults.check(.allocate)
    _ = try retrying {
        mam_fallocate(
            descriptor, Int32(MAM_PUNCH_HOLE | MAM_KEEP_SIZE), offset, count)
    }
}

/// A kind of range in a sparse file.
package enum Region: Sendable {
    case data
    case hole

    /// `SEEK_DATA` and `SEEK_HOLE`, which glibc defines only with _GNU_SOURCE.
    package var whence: Int32 { self == .data ? 3 : 4 }

    package init?(whence: Int32) {
        switch whence {
        case Region.data.whence: self = .data
        case Region.hole.whence: self = .hole
        default: return nil
        }
    }
}

/// The start of the next data or hole at or after `offset`; `ENXIO` beyond the end, and for data if
/// only a hole follows.
package func find(
    _ region: Region, in descriptor: Int32, from offset: Int64
) throws(Errno) -> Int64 {
    try Faults.check(.seek)
    return Int64(try retrying { lseek(descriptor, off_t(offset), region.whence) })
}

/// fallocate(2): reserves space; with `keepSize` also beyond the end.
package func reserveSpace(
    _ descriptor: Int32, at offset: Int64, count: Int64, keepSize: Bool
) throws(Errno) {
    try Faults.check(.allocate)
    _ = try retrying {
        mam_fallocate(
            descriptor, keepSize ? Int32(MAM_KEEP_SIZE) : 0, offset, count)
    }
}

/// The offset of the next data at or after `offset`; nil if only a hole follows. A file system
/// without sparse files is all data. Moves the file position, which this program never relies on.
package func nextData(in file: Descriptor, from offset: Int64) throws(Errno) -> Int64? {
    do throws(Errno) { return try find(.data, in: file.raw, from: offset) } catch {
        switch error {
        case .noSuchAddress: return nil
        case .invalid: return offset
        default: throw error
        }
    }
}

/// The start of the next hole, or `end` if that comes first.
package func nextHole(
    in file: Descriptor, from offset: Int64, before end: Int64
) throws(Errno) -> Int64 {
    do throws(Errno) { return min(end, try find(.hole, in: file.raw, from: offset)) } catch {
        guard error == .invalid else { throw error }
        return end
    }
}

// flock(2) against those who only ask whether somebody holds a lock.

/// Takes the lock unless it is held for long: a question holds it for a moment. Throws where the
/// file system has no locks.
package func takesLock(
    _ file: Descriptor, within milliseconds: Int = 200
) throws(Errno) -> Bool {
    let deadline = Deadline(milliseconds: milliseconds)
    return try withExtendedLifetime(file) { () throws(Errno) in
        while true {
            do throws(Errno) {
                _ = try retrying { flock(file.raw, LOCK_EX | LOCK_NB) }
                return true
            } catch {
                guard error == .wouldBlock else { throw error }
                guard !deadline.hasPassed else { return false }
                usleep(5000)
            }
        }
    }
}

/// Whether somebody holds the lock.
package func isLocked(_ file: Descriptor) -> Bool {
    withExtendedLifetime(file) { flock(file.raw, LOCK_SH | LOCK_NB) != 0 }
}

/// An unnamed file in shared memory, for calls that take a file whose content must not reach a
/// disk.
///
/// Usually limited to half of the machine's memory; `ENOSPC` beyond that.
package func openMemoryFile() throws(Errno) -> Descriptor {
    try openFile("/dev/shm", openTemporary | O_RDWR, mode: 0o600)
}
