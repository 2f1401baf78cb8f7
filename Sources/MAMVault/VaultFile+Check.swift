// Checking and repairing one file, as far as its window lets us.

package import MAMStore
package import MAMSystem

extension VaultFile {
    /// Whether all of a file can be checked.
    package enum CheckAccess: Sendable {
        case whole
        /// Its window is closed: what needs no key can be checked.
        case closed
        /// Its key is not on this device: the same.
        case keyMissing
    }

    /// Fetches the key, if the window is open. Throws if the header's own key does not open.
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

    /// Looks at a piece of the file from a physical offset on; returns where the next begins, nil
    /// after the last.
    package func check(
        at offset: Int64, _ problems: inout FileProblems
    ) throws(StoreError) -> Int64? {
        guard let window else {
            return try stored.check(at: offset, withKey: true, &problems)
        }
        // A lock waits for the piece, and gets all keys.
        let isInside = window.beginUse()
        defer { if isInside { window.endUse() } }
        return try stored.check(at: offset, withKey: isInside, &problems)
    }

    /// Seals anew what can be read back as it should be. It is durable when this returns.
    package func mend() throws(VaultError) {
        try changeDurably { () throws(StoreError) in try stored.repair.mend() }
    }

    /// Marks blocks that do not verify as lost; what they held is kept in `copy`. Both are durable
    /// when this returns.
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

    /// Brings the size and the mark of the last block together (``StoredFile/mendEnd(mayCut:)``).
    /// It is durable when this returns.
    package func mendEnd(mayCut: Bool) throws(VaultError) -> StoredFileRepair.MendedEnd? {
        try whileWritable { () throws(StoreError) in
            guard let mended = try stored.repair.mendEnd(mayCut: mayCut) else { return nil }
            do throws(Errno) { try stored.synchronize(dataOnly: true) } catch {
                throw .system(error)
            }
            return mended
        }
    }

    /// Gives the file the size that its blocks tell; the last must have been verified. True if
    /// it had another size.
    package func cutUnfinishedTail() throws(VaultError) -> Bool {
        try storing { () throws(StoreError) in try stored.repair.cutUnfinishedTail() }
    }
}
