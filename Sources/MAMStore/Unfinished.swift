// What a change that has happened could not complete.
//
// Once a file was cut there is no way back, and the kernel must hear that the size is the new one:
// it would show zeros up to the old one. So a call that cut a file succeeds, and what is left is
// done, or reported, by the next sync, or done, or logged, when a writer closes the file.

internal import MAMFormat
internal import MAMSystem

extension SealedContent {
    /// Seals the last block of a file that has its new size already; if that fails, later.
    func sealEnd(becoming new: Extent) {
        // Only then: while the block is read it has the mark that the old size gave it.
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
    /// Completes a change that could not be completed when it was made.
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
