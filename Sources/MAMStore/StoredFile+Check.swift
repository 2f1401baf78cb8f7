// Checking and mending a file piece by piece, while others use it.

internal import MAMFormat
package import MAMSystem

extension StoredFile {
    /// 1 MiB of the backing file: so long a step holds the lock, and a writer waits.
    fileprivate static let stepBlockCount = Int64((1 << 20) / Layout.blockByteCount)

    /// Looks at a step from a physical offset on. Returns where the next begins; nil after the last.
    ///
    /// `withKey`: false while the window is closed, even if the key is still here.
    package func check(
        at offset: Int64, withKey: Bool, _ problems: inout FileProblems
    ) throws(StoreError) -> Int64? {
        try lock.shared { () throws(StoreError) in
            switch content {
            case .plain(let plain): try plain.check(at: offset, &problems)
            case .sealed(let sealed):
                traffic.readingAll {
                    sealed.check(at: offset, withKey: withKey, &problems)
                }
            }
        }
    }

    /// Gives the file the size that its blocks tell; the last must have been verified. True if
    /// it had another size, and the change is durable then.
    package func cutUnfinishedTail() throws(StoreError) -> Bool {
        try lock.exclusive { () throws(StoreError) in
            defer { refreshSize() }
            guard case .sealed(let sealed) = content else { return false }
            return try sealed.takeToldSize()
        }
    }

    /// Seals all-zero blocks as zeros, and blocks with a wrong end mark with the right one. True if there were any;
    /// to be synced by the caller.
    package func mend() throws(StoreError) -> Bool {
        try changeInSteps { sealed, blocks throws(StoreError) in try sealed.mend(blocks) }
    }

    /// Marks blocks that do not verify as lost (docs/FORMAT.md, section 1.2). True if there were
    /// any; to be synced by the caller. What they held is durable in `copy`, at the same offsets.
    package func markLost(keepingIn copy: Descriptor) throws(StoreError) -> Bool {
        try changeInSteps { sealed, blocks throws(StoreError) in
            try sealed.markLost(blocks, keepingIn: copy)
        }
    }

    /// True if the change was one for any step.
    private func changeInSteps(
        _ change: (SealedContent, Range<Int64>) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var hasChanged = false
        var first: Int64 = 0
        let count = Self.stepBlockCount
        while true {
            let isLast = try lock.exclusive { () throws(StoreError) in
                guard case .sealed(let sealed) = content else { return true }
                let end = min(first + count, sealed.extent.blockCount)
                guard first < end else { return true }
                hasChanged = try change(sealed, first..<end) || hasChanged
                return false
            }
            if isLast { return hasChanged }
            first += count
        }
    }
}

/// Where what is stored goes on. Where that is not told, all is read: an error shows there.
private func nextStored(in file: Descriptor, from offset: Int64) -> Int64? {
    do throws(Errno) { return try nextData(in: file, from: offset) } catch { return offset }
}

extension SealedContent {
    func takeToldSize() throws(StoreError) -> Bool {
        let isOther = try system { () throws(Errno) in
            try UnfinishedTail.mend(descriptor, of: header, believesMark: true)
        }
        if isOther, let extent = Extent(physicalSize: try physicalSize(of: descriptor)) {
            self.extent = extent
        }
        return isOther
    }

    fileprivate func check(
        at offset: Int64, withKey: Bool, _ problems: inout FileProblems
    ) -> Int64? {
        examineEnd(&problems)
        if cipher == nil || !withKey { problems.lackedKey = true }
        let extent = problems.unfinished ?? extent
        let size = Int64(Layout.blockByteCount)
        var first = offset / size
        guard first < extent.blockCount else { return nil }
        if first > 0 {
            // What was never stored reads as zeros: no need to.
            let data = nextStored(in: descriptor, from: first * size).map { $0 / size }
            let end = min(data ?? extent.blockCount, extent.blockCount)
            if first < end {
                addHole(first..<end, in: extent, &problems)
                first = end
            }
        }
        let end = min(first + StoredFile.stepBlockCount, extent.blockCount)
        guard first < end else { return nil }
        check(first..<end, in: extent, withKey: withKey) { problems.add($0...$0, $1) }
        return end < extent.blockCount ? end * size : nil
    }

    /// Whoever has the file open may change its size between two steps.
    private func examineEnd(_ problems: inout FileProblems) {
        guard problems.examined != extent else { return }
        problems.examined = extent
        // Where it cannot be read, the look at its blocks tells so.
        problems.unfinished = try? UnfinishedTail.toldExtent(in: descriptor, extent)
    }

    private func addHole(
        _ blocks: Range<Int64>, in extent: Extent, _ problems: inout FileProblems
    ) {
        let last = blocks.upperBound - 1
        if !isSparse {
            problems.add(blocks.lowerBound...last, .zeroed)
        } else if !allowsHole(at: last, in: extent) {
            problems.add(last...last, .zeroed)
        }
    }
}

extension PlainContent {
    /// Only that it can be read.
    fileprivate func check(
        at offset: Int64, _ problems: inout FileProblems
    ) throws(StoreError) -> Int64? {
        let size = Int64(Layout.blockByteCount)
        let fileSize = try physicalSize(of: descriptor)
        guard let data = nextStored(in: descriptor, from: offset), data < fileSize else {
            return nil
        }
        let first = data / size
        let end = min(first + StoredFile.stepBlockCount, (fileSize + size - 1) / size)
        let scratch = Scratch()
        readBlocks(first..<end, of: descriptor, into: scratch.run) { block, _, error in
            if let error { problems.add(block...block, .unreadable(error)) }
        }
        return end * size < fileSize ? end * size : nil
    }
}
