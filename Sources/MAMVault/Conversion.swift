// Rewrites a file for another owner while it is in use.

package import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem

/// A file and the copy that will replace it. The copy gets every write to the file until then.
package final class Conversion {
    private let vault: Vault
    private let old: VaultFile
    private let new: VaultFile
    /// Nil for a foreign file.
    private let fileID: FileID?

    /// Starts the copy in an empty file.
    ///
    /// `asked`: the class that its directory requests.
    package init(
        of file: VaultFile, for owner: Identity, asking asked: ProtectionClass?,
        into destination: Descriptor, in vault: Vault
    ) throws(VaultError) {
        self.vault = vault
        old = file
        fileID = file.header?.fileID
        try Files(vault).admit(file)
        new = try Files(vault).file(destination)
        try Files(vault).begin(new, as: owner, asking: asked)
        old.stored.copying.begin(new.stored, sealer: vault.sealer)
    }

    /// Call when done, whatever the result, and before the file's next conversion.
    package func end() { old.stored.copying.stop() }

    /// The facts in the copy's header.
    package var facts: FileFacts { new.facts }

    /// Copies the content while the file is in use, mirroring later writes, and syncs the copy.
    package func copy() throws(VaultError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FileCopying.stepByteCount, alignment: 4096)
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        // Bounded, because a program could extend the file forever.
        var room = min(old.size, .max / 4) * 2 + (64 << 20)
        while true {
            let count = try copyStep(through: buffer)
            if count == 0 { break }
            room -= Int64(count)
            guard room > 0 else { throw Self.outrun }
        }
        try systemCall { () throws(Errno) in try new.synchronize(dataOnly: false) }
    }

    /// Writes outpace the copying.
    package static let outrun = VaultError.refused(
        "it is written faster than it can be copied; try again when it is not")

    private func copyStep(
        through buffer: UnsafeMutableRawBufferPointer
    ) throws(VaultError) -> Int {
        try whileOpen { () throws(VaultError) in
            // A lock since the last step may have dropped it.
            for file in [old, new] where file.stored.needsKey {
                try Files(vault).provideKey(to: file.stored)
            }
            do throws(StoreError) { return try old.stored.copying.step(through: buffer) } catch {
                if error == .keyUnavailable { throw vault.closure(of: old.header) }
                throw .store(error)
            }
        }
    }

    /// Replaces the file with the copy. `putInPlace` gets the file's header, renames the copy, and
    /// returns its directory. `names` excludes renames; while it is held nothing is copied, synced
    /// or waited for. Excludes reads, writes and locks. False if a further copy step is needed.
    package func finish(
        holding names: borrowing ReadWriteLock,
        _ putInPlace: (FileHeader?) throws(VaultError) -> Descriptor
    ) throws(VaultError) -> Bool {
        try whileOpen { () throws(VaultError) in
            let isDone = try names.exclusive { () throws(VaultError) in
                try old.stored.copying.finish(
                    by: Deadline(milliseconds: 20),
                    check: { header throws(VaultError) in try refuseIfBegunAnew(header) },
                    putInPlace)
            }
            guard isDone else { return false }
            // The file has the copy's key now.
            vault.openFiles.remove(ObjectIdentifier(new))
            old.headerChanged()
            return true
        }
    }

    /// Makes the copy's rename durable.
    package func synchronizePlace() throws(Errno) { try old.stored.copying.synchronizePlace() }

    /// Another program opened the file with O_TRUNC: it is that program's now, and its content must
    /// not change owners.
    private func refuseIfBegunAnew(_ header: FileHeader?) throws(VaultError) {
        guard header?.fileID == fileID else {
            throw .refused("the file was begun anew meanwhile; try again")
        }
    }

    /// A lock waits until `body` ends.
    private func whileOpen<Value>(
        _ body: () throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        var entered: [(AccessWindow, AccessWindow.Use)] = []
        defer { for (window, use) in entered { window.end(use) } }
        for file in [old, new] {
            guard let window = file.window else { continue }
            guard let use = window.beginUse() else {
                throw vault.refusal(of: window, file.header)
            }
            entered.append((window, use))
        }
        return try body()
    }
}
