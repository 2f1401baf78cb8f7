// Encrypts and decrypts files outside the mount.

internal import CShims
internal import Glibc
package import MAMFormat
package import MAMModel
package import MAMStore
package import MAMSystem
package import MAMVault

/// Encrypts and decrypts from one descriptor to another.
package struct Converter: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Encrypts the plain source, from its start, into an empty file as `owner`'s.
    ///
    /// Returns the number of plain bytes. Syncs nothing: the caller manages the destination's name
    /// and durability.
    package func encrypt(
        _ source: Descriptor, for owner: Identity, into destination: Descriptor
    ) throws(VaultError) -> Int64 {
        try requireRegular(source, "the source")
        return try encrypt(for: owner, into: destination) { _, buffer, offset throws(VaultError) in
            try systemCall { () throws(Errno) in
                try readFully(source.raw, into: buffer, at: offset)
            }
        }
    }

    /// Encrypts everything that a stream delivers.
    package func encrypt(
        _ source: any StreamEnds, for owner: Identity, into destination: Descriptor
    ) throws(VaultError) -> Int64 {
        try encrypt(for: owner, into: destination) { file, buffer, _ throws(VaultError) in
            try streaming(file) { isWanted throws(StoreError) in
                var done = 0
                while done < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
                    let count = try source.read(into: rest, while: isWanted)
                    if count == 0 { break }
                    done += count
                }
                return done
            }
        }
    }

    private func encrypt(
        for owner: Identity, into destination: Descriptor,
        _ read: (VaultFile, UnsafeMutableRawBufferPointer, Int64) throws(VaultError) -> Int
    ) throws(VaultError) -> Int64 {
        guard vault.account(of: owner) != nil else { throw .notManaged(owner) }
        let file = try emptyFile(destination)
        try Files(vault).begin(file, as: owner, isInWorkspace: false, asking: nil)
        return try copy(
            { buffer, offset throws(VaultError) in try read(file, buffer, offset) },
            { bytes, offset throws(VaultError) in try file.write(bytes, at: offset) })
    }

    /// Decrypts a protected source of either form into an empty file or a stream. Refuses a
    /// truncated source. Writes only verified bytes: before damage, everything up to it.
    ///
    /// `authorize` gets the header that is actually used: the source's owner may change it at any
    /// time before or after.
    package func decrypt(
        _ source: Descriptor, into sink: PlainSink,
        authorize: (FileHeader) throws(VaultError) -> Void = { _ throws(VaultError) in }
    ) throws(VaultError) -> Int64 {
        try requireRegular(source, "the source")
        if try systemCall({ () throws(Errno) in try StreamFile.isStream(source) }) {
            try requireEmpty(sink)
            return try DataStreams(vault).unprotectData(
                StreamFile(source, to: sink), authorize: authorize
            ).byteCount
        }
        let file = try protectedFile(source, authorize)
        try requireEmpty(sink)
        return try copy(
            { buffer, offset throws(VaultError) in try file.read(into: buffer, at: offset) },
            { bytes, offset throws(VaultError) in
                try streaming(file) { isWanted throws(StoreError) in
                    try sink.write(bytes, at: offset, while: isWanted)
                }
            })
    }

    /// Decrypts what a file of the mount shows through an open descriptor, while its account's
    /// window permits.
    ///
    /// `info`: the file's protection.
    package func decryptShown(
        _ source: Descriptor, _ info: FileProtection, into sink: PlainSink
    ) throws(VaultError) -> Int64 {
        try requireRegular(source, "the source")
        guard let fileClass = info.fileClass else { throw Self.nothingToDecrypt }
        let account = vault.account(of: info.owner)
        guard let window = account.flatMap({ vault.windows[$0] })?.window(fileClass),
            window.allowsOpen
        else { throw vault.closure(of: account, info.owner) }
        try requireEmpty(sink)
        return try copy(
            { buffer, offset throws(VaultError) in
                try systemCall { () throws(Errno) in
                    try readFully(source.raw, into: buffer, at: offset)
                }
            },
            { bytes, offset throws(VaultError) in
                do throws(StoreError) {
                    try sink.write(bytes, at: offset, while: { window.allowsUse })
                } catch {
                    if error == .keyUnavailable { throw vault.closure(of: account, info.owner) }
                    throw .store(error)
                }
            })
    }

    private static let nothingToDecrypt = VaultError.invalid(
        "the source is not a protected file: there is nothing to decrypt")

    private func requireEmpty(_ sink: PlainSink) throws(VaultError) {
        if case .file(let destination) = sink { _ = try emptyFile(destination) }
    }

    private func protectedFile(
        _ source: Descriptor, _ authorize: (FileHeader) throws(VaultError) -> Void
    ) throws(VaultError) -> VaultFile {
        let file = try Files(vault).file(source, endMarkRule: .refuse)
        guard let header = file.header else { throw Self.nothingToDecrypt }
        try authorize(header)
        try Files(vault).admit(file)
        return file
    }

    /// A stream may block, but for no longer than the file's window is open.
    private func streaming<Value>(
        _ file: VaultFile, _ body: (_ isWanted: () -> Bool) throws(StoreError) -> Value
    ) throws(VaultError) -> Value {
        do throws(StoreError) { return try body { file.window?.allowsUse ?? true } } catch {
            if error == .keyUnavailable { throw vault.closure(of: file.header) }
            throw .store(error)
        }
    }

    private func emptyFile(_ descriptor: Descriptor) throws(VaultError) -> VaultFile {
        try requireRegular(descriptor, "the destination")
        let file = try Files(vault).file(descriptor)
        guard case .empty = file.facts else { throw .invalid("the destination is not empty") }
        return file
    }

    private func requireRegular(_ descriptor: Descriptor, _ name: String) throws(VaultError) {
        let type = try systemCall { () throws(Errno) in try CachedFacts(of: descriptor.raw).type }
        guard mam_is_append_only(descriptor.raw) == 0 else {
            throw .invalid("\(name) was opened for appending; open it for reading and writing")
        }
        if type == S_IFDIR { throw .invalid("\(name) is a directory") }
        guard type == S_IFREG else { throw .invalid("\(name) is not a regular file") }
    }

    private static let chunkByteCount = 1 << 20

    /// Copies until a read returns nothing; that last read makes a strict reader check the end.
    /// Returns the number of bytes.
    private func copy(
        _ read: (UnsafeMutableRawBufferPointer, Int64) throws(VaultError) -> Int,
        _ write: (UnsafeRawBufferPointer, Int64) throws(VaultError) -> Void
    ) throws(VaultError) -> Int64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.chunkByteCount, alignment: 4096)
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        var offset: Int64 = 0
        while true {
            let count = try read(buffer, offset)
            if count == 0 { return offset }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset)
            offset += Int64(count)
        }
    }
}

// Data of either form from a descriptor.
extension Converter {
    /// From a descriptor: data in the file form is read at any offset.
    package func unprotectData(
        of source: Descriptor, _ ends: any StreamEnds, passesPlain: Bool,
        authorize: (FileHeader) throws(VaultError) -> Void
    ) throws(VaultError) -> UnprotectedData {
        guard isFileForm(source) else {
            return try DataStreams(vault).unprotectData(
                ends, passesPlain: passesPlain, authorize: authorize)
        }
        let count = try decrypt(source, into: .stream(ends), authorize: authorize)
        return UnprotectedData(byteCount: count, wasProtected: true)
    }

    /// Only at the start, because a stream is read from its start.
    private func isFileForm(_ source: Descriptor) -> Bool {
        withExtendedLifetime(source) {
            guard let found = try? status(of: source.raw), found.st_mode & S_IFMT == S_IFREG,
                lseek(source.raw, 0, SEEK_CUR) == 0,
                let facts = try? FileFacts(of: source, physicalSize: Int64(found.st_size))
            else { return false }
            return facts.header != nil
        }
    }
}
