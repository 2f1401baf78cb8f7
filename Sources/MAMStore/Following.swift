// A copy of a file, made while it is in use, and kept the same until it takes the file's place.

internal import MAMFormat
internal import MAMSystem
internal import Synchronization

/// A copy that follows a file: it has what the file has up to `end`, and gets each change before
/// that, as part of the change. So nothing is left to be copied at the end, however much is written
/// meanwhile.
///
/// Unchecked: the file's lock guards it. A writer holds that exclusively, and who copies
/// holds it shared, which keeps those out; there is one.
final class Following: @unchecked Sendable {
    let copy: StoredFile
    let sealer: any HeaderSealer
    /// Behind it nothing was copied yet. `Int64.max`: everything was.
    var end: Int64 = 0

    init(_ copy: StoredFile, _ sealer: any HeaderSealer) {
        self.copy = copy
        self.sealer = sealer
    }

    var isComplete: Bool { end == .max }
    var isSafe: Bool { isComplete && failure == nil }

    /// A sync of the copy that failed, whoever asked for it: it may have lost what it was given,
    /// and the next sync does not tell.
    var failure: Errno? {
        copy.syncFailures.withLock { $0.count > 0 ? $0.last : nil }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StoreError) {
        try copy.write(bytes, at: offset, sealer: sealer)
    }

    func takeSize(_ size: Int64) throws(StoreError) {
        if copy.size != size { try copy.truncate(to: size, sealer: sealer) }
    }

    /// Up to here nothing is left to be copied. Where a hole is now the copy may have content: what
    /// it was given before a large hole was made.
    func clear(to end: Int64) throws(StoreError) {
        let last = min(end, copy.size)
        if self.end < last { try copy.zero(self.end..<last, sealer: sealer) }
    }
}
