// A file beside another, byte for byte.

internal import CShims
internal import Glibc

/// Copies what is stored and the size; holes stay holes. The target is empty.
package func copyStored(from source: Descriptor, to target: Descriptor) throws(Errno) {
    let size = Int64(try status(of: source.raw).st_size)
    var offset: Int64 = 0
    while offset < size, let start = try nextData(in: source, from: offset), start < size {
        offset = try nextHole(in: source, from: start, before: size)
        try copyRange(start..<offset, from: source, to: target)
    }
    try setSize(target.raw, size)
}

/// copy_file_range(2), which shares the blocks where the file system can.
private func copyRange(
    _ range: Range<Int64>, from source: Descriptor, to target: Descriptor
) throws(Errno) {
    var (from, to) = (range.lowerBound, range.lowerBound)
    while from < range.upperBound {
        let rest = UInt64(range.upperBound - from)
        let count = try retrying {
            mam_copy_file_range(source.raw, &from, target.raw, &to, rest)
        }
        // It was cut meanwhile.
        guard count > 0 else { return }
    }
}

/// Copies owner, extended attributes, mode and times. Returns the names of the attributes, to be
/// removed when they are copied again.
@discardableResult
package func copyAttributes(
    from source: Descriptor, to target: Descriptor, removing former: Set<ByteString> = [],
    except left: ByteString? = nil
) throws(Errno) -> Set<ByteString> {
    let status = try status(of: source.raw)
    // Another owner takes capabilities away, so it comes first.
    _ = try retrying { fchown(target.raw, status.st_uid, status.st_gid) }
    let names = try copyExtendedAttributes(
        from: source.raw, to: target.raw, removing: former, except: left)
    _ = try retrying { fchmod(target.raw, status.st_mode & 0o7777) }
    let times = [status.st_atim, status.st_mtim]
    _ = try retrying { futimens(target.raw, times) }
    return names
}
