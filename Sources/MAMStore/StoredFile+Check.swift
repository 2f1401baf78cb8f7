// Checks a file step by step while it is in use.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

extension StoredFile {
    /// Checks a step from a physical offset on. Returns the start of the next; nil after the last.
    ///
    /// `withKey`: false while the window is closed, even if the key is still loaded.
    package func check(
        at offset: Int64, withKey: Bool, _ problems: inout FileProblems
    ) throws(StoreError) -> Int64? {
        try lock.shared { () throws(StoreError) in
            switch content {
            case .plain(let plain): try plain.check(at: offset, &problems)
            case .sealed(let sealed):
                traffic.readingAll {
                    BlockInspection(content: sealed).check(
                        at: offset, withKey: withKey, &problems)
                }
            }
        }
    }
}

extension PlainContent {
    /// Checks only that it is readable.
    fileprivate func check(
        at offset: Int64, _ problems: inout FileProblems
    ) throws(StoreError) -> Int64? {
        let size = Int64(Layout.blockByteCount)
        let fileSize = try physicalSize(of: descriptor)
        guard let data = nextStored(in: descriptor, from: offset), data < fileSize else {
            return nil
        }
        let first = data / size
        let end = min(first + BlockInspection.stepBlockCount, (fileSize + size - 1) / size)
        let scratch = Scratch()
        readBlocks(first..<end, of: descriptor, into: scratch.run) { block, _, error in
            if let error { problems.add(block...block, .unreadable(error)) }
        }
        return end * size < fileSize ? end * size : nil
    }
}
