// Loads and drops the file key as its access window opens and closes.

internal import Glibc
package import MAMCrypto
package import MAMFormat
package import MAMModel
package import MAMSystem

extension StoredFile {
    /// True for a managed file without its key loaded.
    package var needsKey: Bool {
        lock.shared {
            if case .sealed(let sealed) = content { sealed.cipher == nil } else { false }
        }
    }

    /// Unwraps the file key with `unwrap`, which gets the header and its 1024 bytes. No effect if
    /// the key is already loaded.
    package func provideKey(
        _ unwrap: (FileHeader, UnsafeRawBufferPointer) throws(StoreError) -> SecretBytes
    ) throws(StoreError) {
        try lock.exclusive { () throws(StoreError) in
            guard case .sealed(let sealed) = content, sealed.cipher == nil else { return }
            let key = try sealed.headerBytes.span.withUnsafeBytes { bytes throws(StoreError) in
                try unwrap(sealed.header, bytes)
            }
            sealed.cipher = BlockCipher(key: key)
        }
    }

    /// False if the last block's mark contradicts the size, as after a crash or truncation. Reads
    /// only the mark and needs no key.
    package var endLooksRight: Bool {
        lock.shared {
            guard case .sealed(let sealed) = content else { return true }
            return traffic.readingAll { sealed.endLooksRight }
        }
    }

    /// Drops the file key after waiting for reads and writes in progress. Later ones throw
    /// `.keyUnavailable` until it is provided again.
    package func revokeKey() {
        let heir = lock.exclusive { dropCipher() }
        heir?.revokeKey()
    }

    /// False, keeping the key, if reads and writes in progress do not end by the deadline.
    package func revokeKey(until deadline: Deadline) -> Bool {
        guard let heir = lock.exclusive(until: deadline, { dropCipher() }) else { return false }
        return heir?.revokeKey(until: deadline) ?? true
    }

    /// Returns the file that now has the content, if it is not this one. The caller holds the lock
    /// exclusively.
    private func dropCipher() -> StoredFile? {
        guard case .sealed(let sealed) = content else { return heir }
        sealed.cipher?.revoke()
        sealed.cipher = nil
        return nil
    }

    /// Changes the unmanaged owner of an unmanaged file: one write of its header. Content and
    /// modification time stay.
    package func rewriteOwner(_ owner: Identity) throws(StoreError) {
        try lock.exclusive { () throws(StoreError) in
            guard case .plain(let plain) = content, var header = plain.header else { return }
            header.owner = owner
            content = .plain(
                try keepingTime(of: plain.descriptor) { () throws(StoreError) in
                    try PlainContent.begun(plain.descriptor, header)
                })
        }
    }

    /// Gives a managed file another class or managed owner: wraps the file key again; content and
    /// modification time stay.
    ///
    /// `asked`: the requested class to store in the header; nil for none. `isExposed`: an old copy
    /// of the header can unwrap the key, which the header notes until the content is sealed under a
    /// new one.
    package func rewrap(
        owner: Identity, as protectionClass: ProtectionClass, asked: ProtectionClass?,
        isExposed: Bool = false, sealer: any HeaderSealer
    ) throws(StoreError) {
        try change(from: 0, count: 0) { content throws(StoreError) in
            guard case .sealed(let sealed) = content else { return }
            var header = sealed.header
            header.owner = owner
            header.sealing?.protectionClass = protectionClass
            header.sealing?.askedClass = asked
            let wasExposed = header.sealing?.isExposed ?? false
            header.sealing?.isExposed = isExposed || wasExposed
            // The sealer then goes by the owner, not by the key that wrapped it before.
            header.sealing?.keyID = .none
            try keepingTime(of: sealed.descriptor) { () throws(StoreError) in
                try sealed.rewriteHeader(header, sealer: sealer)
            }
        }
    }
}

private func keepingTime<Value>(
    of file: Descriptor, _ writeHeader: () throws(StoreError) -> Value
) throws(StoreError) -> Value {
    let before = try system { () throws(Errno) in try status(of: file.raw) }
    let value = try writeHeader()
    // The header is already written, so failing now would mislead.
    try? setModificationTime(of: file.raw, to: before.st_mtim)
    return value
}
