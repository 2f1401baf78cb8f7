// One file in use: its content behind its owner's window.

package import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem
package import Synchronization

/// An inode's file, shared by all its open handles.
///
/// Every read and write asks the window first: a lock that is held for its reference alone, then
/// atomic operations on its state.
package final class VaultFile: Sendable {
    package let stored: StoredFile
    let vault: Vault
    private let current: Guarded<AccessWindow?>

    init(_ stored: StoredFile, in vault: Vault) {
        self.stored = stored
        self.vault = vault
        current = Guarded(vault.window(for: stored.header))
    }

    deinit {
        if stored.isUnfinished { FileAudit(vault).noteUnfinished(stored.header) }
        vault.openFiles.remove(ObjectIdentifier(self))
    }

    /// Nil for a file that is not encrypted: it has no window.
    package var window: AccessWindow? { current.withLock { $0 } }

    /// Why nothing may be written through the kernel's cache any more, once the window closes; nil
    /// if it may.
    package var refusalOfCachedWrites: VaultError? {
        guard let window, !window.allowsUse else { return nil }
        return vault.refusal(of: window, header)
    }

    /// True once its account is wiped.
    package var isRevoked: Bool { window?.state == .revoked }

    /// Looks the window up again after the file got another owner or class.
    func headerChanged() {
        let window = vault.window(for: stored.header)
        current.withLock { $0 = window }
    }

    package var header: FileHeader? { stored.header }
    /// True if the file key is in memory.
    package var holdsKey: Bool { header?.isManaged == true && !stored.needsKey }
    package var owner: Identity { header?.owner ?? .nobody }
    package var size: Int64 { stored.size }

    /// What a look at the header would tell now.
    package var facts: FileFacts {
        if let header { .protected(header) } else { size == 0 ? .empty : .foreign }
    }

    package func replaceDescriptor(_ descriptor: Descriptor) {
        stored.replaceDescriptor(descriptor)
    }

    /// Fills the buffer; less only at the end of the file.
    package func read(
        into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(VaultError) -> Int {
        try whileReadable { () throws(StoreError) in try stored.read(into: out, at: offset) }
    }

    package func find(_ region: Region, from offset: Int64) throws(VaultError) -> Int64 {
        try whileReadable { () throws(StoreError) in try stored.find(region, from: offset) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            try stored.write(bytes, at: offset, sealer: vault.sealer)
        }
    }

    /// Writes what the kernel had cached. Its writer was told long ago that all is well: a refusal
    /// is a loss, and goes to the log.
    package func writeBack(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(VaultError) {
        do throws(VaultError) { try write(bytes, at: offset) } catch {
            // Of a wiped account it is meant to be lost.
            if case .keyRevoked = error { throw error }
            FileAudit(vault).reportDiscarded(bytes.count, at: offset, of: self, error)
            throw error
        }
    }

    package func truncate(to size: Int64) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            try stored.truncate(to: size, sealer: vault.sealer)
        }
    }

    /// Makes a range read as zeros; the size stays.
    package func zero(_ range: Range<Int64>) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            try stored.zero(range, sealer: vault.sealer)
        }
    }

    package func reserve(_ range: Range<Int64>, keepSize: Bool) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            try stored.reserve(range, keepSize: keepSize, sealer: vault.sealer)
        }
    }

    /// Completes what an earlier change had to leave.
    package func finish() throws(VaultError) {
        try storing { () throws(StoreError) in try stored.finish() }
    }

    /// The same where nobody is left to be told of a failure but the log.
    package func finishUnasked() {
        do throws(StoreError) {
            try stored.finish()
            if let failure = stored.untoldSyncFailure { throw .system(failure) }
        } catch {
            FileAudit(vault).reportUnfinished(self, error)
        }
    }

    /// Where a new handle begins to be told of failed syncs.
    package var syncMark: UInt64 { stored.syncMark }

    /// A failed sync that the handle with this mark has not been told of; it has then.
    package func takeSyncFailure(since mark: borrowing Atomic<UInt64>) -> Errno? {
        stored.takeSyncFailure(since: mark)
    }

    package func synchronize(dataOnly: Bool) throws(Errno) {
        try stored.synchronize(dataOnly: dataOnly)
    }

    private func whileReadable<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        guard let window else { return try storing(body) }
        guard window.beginUse() else { throw vault.refusal(of: window, header) }
        defer { window.endUse() }
        return try withKey(body)
    }

    func whileWritable<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        guard let window else { return try storing(body) }
        window.noteUse()
        guard window.allowsWrite else { throw vault.refusal(of: window, header) }
        return try withKey(body)
    }

    /// Runs `body`, and once more with the key fetched again if a lock had dropped it.
    private func withKey<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        do throws(StoreError) {
            return try body()
        } catch {
            guard error == .keyUnavailable else {
                throw FileAudit(vault).reported(error, owner: owner)
            }
        }
        try Files(vault).provideKey(to: stored)
        do throws(StoreError) { return try body() } catch {
            if error == .keyUnavailable { throw vault.closure(of: header) }
            throw FileAudit(vault).reported(error, owner: owner)
        }
    }
}
