// Checks and repairs one file, as far as its window permits.

internal import MAMModel
package import MAMStore
package import MAMSystem

extension VaultFile {
    /// Whether all of a file can be checked.
    package enum CheckAccess: Sendable {
        case whole
        /// Its window is closed: only what needs no key can be checked.
        case closed
        /// Its key is not on this device: only what needs no key can be checked.
        case keyMissing
    }

    /// Loads the key if the window is open. Throws if the header's own account cannot unwrap it.
    package func prepareCheck() throws(VaultError) -> CheckAccess {
        guard let window else { return .whole }
        do throws(VaultError) {
            if window.allowsOpen, stored.needsKey { try Files(vault).provideKey(to: stored) }
        } catch {
            switch error {
            case .windowClosed, .blocked: break
            default: throw error
            }
        }
        if !stored.needsKey { return .whole }
        if case .keyMissing = vault.closure(of: header) { return .keyMissing }
        return .closed
    }

    /// Checks a piece of the file from a physical offset on; returns the start of the next, or nil
    /// after the last.
    package func check(
        at offset: Int64, _ problems: inout FileProblems
    ) throws(StoreError) -> Int64? {
        guard let window else {
            return try stored.check(at: offset, withKey: true, &problems)
        }
        // A lock waits for the end of the piece, and then drops the key.
        let use = window.beginUse()
        defer { if let use { window.end(use) } }
        return try stored.check(at: offset, withKey: use != nil, &problems)
    }

    /// Seals blocks again that can be restored. Durable on return.
    package func mend() throws(VaultError) {
        try changeDurably { () throws(StoreError) in try stored.repair.mend() }
    }

    /// Marks blocks that do not verify as lost, and keeps their bytes in `copy`. Both are durable
    /// on return.
    package func markLost(keepingIn copy: Descriptor) throws(VaultError) {
        try changeDurably { () throws(StoreError) in try stored.repair.markLost(keepingIn: copy) }
    }

    private func changeDurably(_ change: () throws(StoreError) -> Bool) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            guard try change() else { return }
            do throws(Errno) { try stored.synchronize(dataOnly: true) } catch {
                throw .system(error)
            }
        }
    }

    /// Makes the size and the last block's mark agree (``StoredFile/mendEnd(mayCut:)``). Durable on
    /// return.
    package func mendEnd(mayCut: Bool) throws(VaultError) -> StoredFileRepair.MendedEnd? {
        try whileWritable { () throws(StoreError) in
            guard let mended = try stored.repair.mendEnd(mayCut: mayCut) else { return nil }
            do throws(Errno) { try stored.synchronize(dataOnly: true) } catch {
                throw .system(error)
            }
            return mended
        }
    }

    /// Sets the size that the blocks imply; the caller has verified the last one. True if it was
    /// different.
    package func cutUnfinishedTail() throws(VaultError) -> Bool {
        try storing { () throws(StoreError) in try stored.repair.cutUnfinishedTail() }
    }
}
