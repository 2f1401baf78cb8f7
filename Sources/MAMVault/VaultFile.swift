// A file in use: its content behind its owner's window.

package import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem
package import Synchronization

/// An inode's file, shared by all its open handles.
///
/// Every read and write checks the window first: atomic operations, and no lock.
package final class VaultFile: Sendable {
    package let stored: StoredFile
    let vault: Vault
    private let current: CurrentWindow
    private let lost = LostEnd()

    init(_ stored: StoredFile, in vault: Vault) {
        self.stored = stored
        self.vault = vault
        current = CurrentWindow(vault.window(for: stored.header))
    }

    deinit {
        if stored.isUnfinished { vault.openFiles.uncertainEnds.noteUnfinished(stored.header) }
        vault.openFiles.remove(ObjectIdentifier(self))
    }

    /// Nil for a file that is not encrypted.
    package var window: AccessWindow? { current.window }

    /// Why writes may no longer enter the kernel's cache, once the window closes; nil while they
    /// may.
    package var refusalOfCachedWrites: VaultError? {
        guard let window, !window.allowsUse else { return nil }
        return vault.refusal(of: window, header)
    }

    /// True once its account is wiped.
    package var isRevoked: Bool { window?.state == .revoked }

    /// Looks up the window again after a change of owner or class.
    func headerChanged() {
        current.change(to: vault.window(for: stored.header))
    }

    package var header: FileHeader? { stored.header }
    /// True if the file key is loaded.
    package var holdsKey: Bool { header?.isManaged == true && !stored.needsKey }
    package var owner: Identity { header?.owner ?? .nobody }
    package var size: Int64 { stored.size }

    /// The facts that reading the header would give now.
    package var facts: FileFacts {
        if let header { return .protected(header) }
        if size > 0 { return .foreign }
        return stored.isUnwritten ? .unwritten : .empty
    }

    package func replaceDescriptor(_ descriptor: Descriptor) {
        stored.replaceDescriptor(descriptor)
    }

    /// Fills the buffer, except at the end of the file.
    package func read(
        into out: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(VaultError) -> Int {
        try whileReadable { () throws(StoreError) in try stored.read(into: out, at: offset) }
    }

    /// The owner of protected data, of either form, that is its content; nil for other content.
    package func ownerOfDataHeld() throws(VaultError) -> Identity? {
        var room: InlineArray<1024, UInt8> = .init(repeating: 0)
        var span = room.mutableSpan
        let count = try span.withUnsafeMutableBytes { buffer throws(VaultError) in
            try read(into: buffer, at: 0)
        }
        return FileFacts(
            head: room.span.bytes.extracting(..<count), physicalSize: size, orStream: true
        ).header?.owner
    }

    package func find(_ region: Region, from offset: Int64) throws(VaultError) -> Int64 {
        try whileReadable { () throws(StoreError) in try stored.find(region, from: offset) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            try lost.check(bytes.count, at: offset)
            try stored.write(bytes, at: offset, sealer: vault.sealer)
        }
    }

    /// Stores data from the kernel's cache. Its writer was already told of success, so a failure is
    /// a loss, and is logged.
    ///
    /// `makingRoom`: true if the store may have room now, whose refusal it gets.
    package func writeBack(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, makingRoom: (Errno) -> Bool
    ) throws(VaultError) {
        let end = size
        do throws(VaultError) {
            while true {
                do throws(VaultError) { return try write(bytes, at: offset) } catch {
                    guard case .store(.system(let cause)) = error, makingRoom(cause) else {
                        throw error
                    }
                }
            }
        } catch {
            // A wiped account's data is meant to be lost.
            if case .keyRevoked = error { throw error }
            if case .store(.system(let cause)) = error, offset + Int64(bytes.count) > end {
                lost.note(from: max(offset, end), for: cause)
            }
            FileAudit(vault).reportDiscarded(bytes.count, at: offset, of: self, error)
            throw error
        }
    }

    /// Where the file is to end, since data beyond that end was lost; nil if none was.
    package var lostEnd: Int64? { lost.start }

    /// Why what the kernel still shows behind the end of the data was not stored; nil if all was.
    package var lossAtEnd: Errno? { lost.error }

    /// Ends the file where its data does. The kernel sends nothing of it meanwhile.
    package func endWhereDataEnds() throws(VaultError) {
        defer { lost.forget() }
        if let start = lost.start, start < size { try truncate(to: start) }
    }

    package func truncate(to size: Int64) throws(VaultError) {
        try whileWritable { () throws(StoreError) in
            try stored.truncate(to: size, sealer: vault.sealer)
        }
    }

    /// Makes a range read as zeros; keeps the size.
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

    /// Completes an earlier change that failed halfway.
    package func finish() throws(VaultError) {
        try storing { () throws(StoreError) in try stored.finish() }
    }

    /// Logs a failure, because no caller is left to report it to.
    package func finishUnasked() {
        do throws(StoreError) {
            try stored.finish()
            if let failure = stored.untoldSyncFailure { throw .system(failure) }
        } catch {
            FileAudit(vault).reportUnfinished(self, error)
        }
    }

    /// A new handle's mark for failed syncs.
    package var syncMark: UInt64 { stored.syncMark }

    /// A failed sync that the handle with this mark has not reported; marks it as reported.
    package func takeSyncFailure(since mark: borrowing Atomic<UInt64>) -> Errno? {
        stored.takeSyncFailure(since: mark)
    }

    package func synchronize(dataOnly: Bool) throws(Errno) {
        try stored.synchronize(dataOnly: dataOnly)
    }

    private func whileReadable<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        guard let window = current.unmanaged else { return try storing(body) }
        guard let use = window._withUnsafeGuaranteedRef({ $0.beginUse() }) else {
            throw vault.refusal(of: window.takeUnretainedValue(), header)
        }
        defer { window._withUnsafeGuaranteedRef { $0.end(use) } }
        return try withKey(body)
    }

    func whileWritable<Value>(
        _ body: () throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        guard let window = current.unmanaged else { return try storing(body) }
        let isAllowed = window._withUnsafeGuaranteedRef { window in
            window.noteUse()
            return window.allowsWrite
        }
        guard isAllowed else { throw vault.refusal(of: window.takeUnretainedValue(), header) }
        return try withKey(body)
    }

    /// Runs `body`, and runs it again with the key reloaded if a lock had dropped it.
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

extension VaultFile {
    /// Updates the access time if the backing file system's rules require it.
    package func noteAccess() { moveAccessTime(of: stored.descriptor) }
}
