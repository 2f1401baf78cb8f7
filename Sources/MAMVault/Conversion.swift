// Writing a file anew for another owner while it is in use.

package import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem

/// A file, and the copy that is going to be it. Everything that is written to the file until then
/// is in the copy.
package final class Conversion {
    private let vault: Vault
    private let old: VaultFile
    private let new: VaultFile
    /// Nil for a foreign file.
    private let fileID: FileID?

    /// Begins the copy in an empty file.
    ///
    /// `asked`: the class that its directory asks for.
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

    /// To be called in the end, however it went, and before another one of the file begins.
    package func end() { old.stored.copying.stop() }

    /// What the copy's header says.
    package var facts: FileFacts { new.facts }

    /// Copies the content while it is read and written; what is written to it from then on is in
    /// the copy too. That is synced when this returns.
    package func copy() throws(VaultError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FileCopying.stepByteCount, alignment: 4096)
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        // Who makes the file longer all the time is not waited for.
        var room = min(old.size, .max / 4) * 2 + (64 << 20)
        while true {
            let count = try copyStep(through: buffer)
            if count == 0 { break }
            room -= Int64(count)
            guard room > 0 else { throw Self.outrun }
        }
        try systemCall { () throws(Errno) in try new.synchronize(dataOnly: false) }
    }

    /// What keeps being changed by so much at a time that no copy catches up.
    package static let outrun = VaultError.refused(
        "it is written faster than it can be copied; try again when it is not")

    private func copyStep(
        through buffer: UnsafeMutableRawBufferPointer
    ) throws(VaultError) -> Int {
        try whileOpen { () throws(VaultError) in
            // A lock that has come and gone since the last step took it.
            for file in [old, new] where file.stored.needsKey {
                try Files(vault).provideKey(to: file.stored)
            }
            do throws(StoreError) { return try old.stored.copying.step(through: buffer) } catch {
                if error == .keyUnavailable { throw vault.closure(of: old.header) }
                throw .store(error)
            }
        }
    }

    /// Makes the file the copy. `putInPlace` is given the file's header, and gives the copy its
    /// name in the directory that it returns; nobody reads or writes meanwhile, no lock comes
    /// between, and no name changes, which `names` is for: while that is held nothing is copied,
    /// synced or waited for. False if it has to be copied once more.
    package func finish(
        holding names: ReadWriteLock,
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
            // Its key is the file's now.
            vault.openFiles.remove(ObjectIdentifier(new))
            old.headerChanged()
            return true
        }
    }

    /// Makes the copy's new name durable.
    package func synchronizePlace() throws(Errno) { try old.stored.copying.synchronizePlace() }

    /// Somebody has truncated it as they opened it: it is theirs, and what they write is not to be
    /// given away.
    private func refuseIfBegunAnew(_ header: FileHeader?) throws(VaultError) {
        guard header?.fileID == fileID else {
            throw .refused("the file was begun anew meanwhile; try again")
        }
    }

    /// A lock waits for the end of it.
    private func whileOpen<Value>(
        _ body: () throws(VaultError) -> Value
    ) throws(VaultError) -> Value {
        var entered: [AccessWindow] = []
        defer { for window in entered { window.endUse() } }
        for file in [old, new] {
            guard let window = file.window else { continue }
            guard window.beginUse() else { throw vault.refusal(of: window, file.header) }
            entered.append(window)
        }
        return try body()
    }
}
