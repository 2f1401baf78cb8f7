// Reads and writes of sealed content that run in parallel under the file's shared lock.

internal import MAMFormat
internal import MAMModel
internal import MAMSystem

extension StoredFile {
    /// The caller holds the lock shared.
    func read(
        _ sealed: SealedContent, into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(StoreError) -> Int {
        guard offset >= 0 else { throw .system(.invalid) }
        // A strict reader also checks the last block, wherever it is.
        let isStrict = sealed.endMarkRule == .refuse
        let end = offset.addingReportingOverflow(Int64(max(1, out.count)) - 1)
        let last = isStrict || end.overflow ? .max : Layout.block(at: end.partialValue)
        let pass = traffic.enter(
            isStrict ? 0...last : Layout.block(at: offset)...last, writes: false)
        defer { traffic.leave(pass) }
        return try sealed.read(into: out, at: offset)
    }

    /// False, without effect, if this write needs the exclusive lock.
    func writeBesideOthers(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, sealer: any HeaderSealer
    ) throws(StoreError) -> Bool {
        guard SealedRun.fits(bytes.count, at: offset) else { return false }
        let patch = Patch(offset: offset, bytes: bytes)
        return try lock.shared { () throws(StoreError) in
            guard case .sealed(let sealed) = content, following == nil else { return false }
            return try write(patch, into: sealed)
        }
    }

    private func write(_ patch: Patch, into sealed: SealedContent) throws(StoreError) -> Bool {
        guard patch.range.upperBound > sealed.extent.plainSize else {
            let run = try sealed.sealInterior(of: patch)
            let pass = traffic.enter(patch.blocks, writes: true)
            defer { traffic.leave(pass) }
            try sealed.overwrite(patch, run)
            return true
        }
        let growth = traffic.announceGrowth(from: patch.offset)
        defer { traffic.retire(growth) }
        let run = try sealed.sealInterior(of: patch)
        traffic.waitForGap(before: growth) { sealed.hasGap(before: patch) }
        return try grow(sealed, with: patch, run)
    }

    /// This write has exclusive use of all blocks from the last one on.
    private func grow(
        _ sealed: SealedContent, with patch: Patch, _ run: borrowing SealedRun
    ) throws(StoreError) -> Bool {
        let first = min(patch.blocks.lowerBound, sealed.extent.blockCount - 1)
        let pass = traffic.enter(first...Int64.max, writes: true)
        defer { traffic.leave(pass) }
        guard !sealed.needsHole(before: patch) else { return false }
        defer { refreshSize() }
        try sealed.overwriteOrGrow(patch, run)
        return true
    }
}
