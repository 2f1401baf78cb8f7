// Completes changes that could not be completed at once.
//
// A truncation cannot be undone, and the kernel must learn the new size: otherwise it would show
// zeros up to the old one. So a call that truncated a file succeeds, and the remaining work is
// retried and reported by the next sync, or retried and logged when a writer closes the file.

internal import MAMFormat
internal import MAMSystem

extension SealedContent {
    /// Seals the last block of a file whose size is already set, or leaves it for later if that
    /// fails.
    func sealEnd(becoming new: Extent) {
        // Not before: while the block is read, it has the mark of the old size.
        defer { extent = new }
        let last = new.blockCount - 1
        do throws(StoreError) { try writeRun(last...last, .none(at: 0), becoming: new) } catch {
            isUnsealed = true
        }
    }

    func finish() throws(StoreError) {
        guard isUnsealed else { return }
        let last = extent.blockCount - 1
        try writeRun(last...last, .none(at: 0), becoming: extent)
        isUnsealed = false
    }
}

extension StoredFile {
    /// Completes a change that failed halfway.
    package func finish() throws(StoreError) {
        let isNeeded = lock.shared {
            if case .sealed(let sealed) = content { sealed.isUnsealed } else { false }
        }
        guard isNeeded else { return }
        try change(from: 0) { content throws(StoreError) in
            if case .sealed(let sealed) = content { try sealed.finish() }
        }
    }
}
