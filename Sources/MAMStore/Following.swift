// A copy that mirrors a file in use until it replaces it.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem
internal import Synchronization

/// Equals the file up to `end`, and gets each change before `end` as part of that change. So
/// nothing is left to copy in the end, however much is written meanwhile.
///
/// @unchecked: guarded by the file's lock. Writers hold it exclusively; the one copying thread
/// holds it shared, which keeps them out.
final class Following: @unchecked Sendable {
    let copy: StoredFile
    let sealer: any HeaderSealer
    /// Nothing after this offset is copied yet. `Int64.max`: everything is.
    var end: Int64 = 0

    init(_ copy: StoredFile, _ sealer: any HeaderSealer) {
        self.copy = copy
        self.sealer = sealer
    }

    var isComplete: Bool { end == .max }
    var isSafe: Bool { isComplete && failure == nil }

    /// A failed sync of the copy, whichever thread made it: data may be lost, and the next sync
    /// would not report that.
    var failure: Errno? {
        copy.syncFailures.withLock { $0.count > 0 ? $0.last : nil }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StoreError) {
        try copy.write(bytes, at: offset, sealer: sealer)
    }

    func takeSize(_ size: Int64) throws(StoreError) {
        if copy.size != size { try copy.truncate(to: size, sealer: sealer) }
    }

    /// Nothing before `end` is left to copy. The copy may have data there where the file now has a
    /// hole: data mirrored before a large hole was punched.
    func clear(to end: Int64) throws(StoreError) {
        let last = min(end, copy.size)
        if self.end < last { try copy.zero(self.end..<last, sealer: sealer) }
    }
}
