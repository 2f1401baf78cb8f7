// Writing a file anew for another owner while it is in use.

internal import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem

/// A file, and the copy that is going to be it. Everything that is written to the file until then is in the copy.
package final class Conversion {
    private let vault: Vault
    private let old: VaultFile
    private let new: VaultFile
    /// Nil for a foreign file.
    private let fileID: FileID?

    /// Passes over what was changed meanwhile, before the last one keeps writers waiting.
    private static let passCount = 4

    /// Begins the copy in an empty file.
    ///
    /// `isSealed`: false for a copy that is not encrypted, whoever its owner is. `asked`: the class that its directory asks for.
    package init(
        of file: VaultFile, for owner: Identity, isSealed: Bool, asking asked: ProtectionClass?,
        into destination: Descriptor, in vault: Vault
    ) throws(VaultError) {
        self.vault = vault
        old = file
        fileID = file.header?.fileID
        try vault.admit(file)
        new = try vault.file(destination)
        try vault.begin(new, as: owner, isSealed: isSealed, asking: asked)
    }

    /// To be called in the end, however it went, and before another one of the file begins.
    package func end() { old.stored.stopNotingChanges() }

    /// What the copy's header says.
    package var facts: FileFacts { new.facts }

    /// Copies the content while it is read and written. It is synced when this returns.
    package func copy() throws(VaultError) {
        _ = old.stored.takeChanges()
        try copyData()
        var changes = old.stored.takeChanges()
        for _ in 1..<Self.passCount where !changes.all.isEmpty {
            try copy(changes) { buffer, offset throws(VaultError) in
                try old.read(into: buffer, at: offset)
            }
            changes = old.stored.takeChanges()
        }
        // The last pass takes what is left.
        old.stored.putBack(changes)
        try systemCall { () throws(Errno) in try new.synchronize(dataOnly: false) }
    }

    /// Everything but holes: a sparse file may be larger than the disk.
    private func copyData() throws(VaultError) {
        var offset: Int64 = 0
        while let start = try position(of: .data, from: offset),
            let end = try position(of: .hole, from: start), end > start
        {
            var range = ChangedRanges()
            range.add(start..<end)
            try copy(range) { buffer, offset throws(VaultError) in
                try old.read(into: buffer, at: offset)
            }
            offset = end
        }
        if new.size < old.size { try new.truncate(to: old.size) }
    }

    /// Nil at the end of the file.
    private func position(of region: Region, from offset: Int64) throws(VaultError) -> Int64? {
        do throws(VaultError) { return try old.find(region, from: offset) } catch {
            guard case .store(.system(.noSuchAddress)) = error else { throw error }
            return nil
        }
    }

    /// Makes the file the copy. `putInPlace` gives the copy the file's name; nobody reads or writes meanwhile, and no lock comes
    /// between.
    package func finish(_ putInPlace: () throws(VaultError) -> Void) throws(VaultError) {
        var entered: [AccessWindow] = []
        defer { for window in entered { window.endUse() } }
        for file in [old, new] {
            guard let window = file.window else { continue }
            guard window.beginUse() else { throw vault.refusal(of: window, file.header) }
            entered.append(window)
            // A lock that has come and gone since the last pass took it; none comes any more.
            if file.stored.needsKey { try vault.provideKey(to: file.stored) }
        }
        try old.stored.takeOver(new.stored) { changes, header, read throws(VaultError) in
            // Somebody has truncated it as they opened it: it is theirs, and what they write is not to be given away.
            guard header?.fileID == fileID else {
                throw .refused("the file was begun anew meanwhile; try again")
            }
            if !changes.all.isEmpty {
                try copy(changes) { buffer, offset throws(VaultError) in
                    do throws(StoreError) { return try read(buffer, offset) } catch {
                        if error == .keyUnavailable { throw vault.closure(of: header) }
                        throw .store(error)
                    }
                }
                if new.size != old.size { try new.truncate(to: old.size) }
                try systemCall { () throws(Errno) in try new.synchronize(dataOnly: false) }
            }
            try putInPlace()
        }
        // Its key is the file's now.
        vault.openFiles.remove(ObjectIdentifier(new))
        old.headerChanged()
    }

    private func copy(
        _ ranges: ChangedRanges,
        _ read: (UnsafeMutableRawBufferPointer, Int64) throws(VaultError) -> Int
    ) throws(VaultError) {
        for range in ranges.all {
            _ = try vault.copy(
                in: range, read,
                { bytes, offset throws(VaultError) in try new.write(bytes, at: offset) })
        }
    }
}
