// The file key's coming and going with its access window.

internal import Glibc
package import MAMCrypto
package import MAMFormat
package import MAMModel
package import MAMSystem

extension StoredFile {
    /// True for a managed file whose key is not here.
    package var needsKey: Bool {
        lock.shared {
            if case .sealed(let sealed) = content { sealed.cipher == nil } else { false }
        }
    }

    /// Unwraps the file key with `unwrap`, which gets the header and its 1024 bytes. No effect if
    /// the key is here already.
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

    /// False if the last block says that it is not the last, or that another part of it is used: a
    /// crash or a cut. Looks at the mark alone and needs no key.
    package var endLooksRight: Bool {
        lock.shared {
            guard case .sealed(let sealed) = content else { return true }
            return traffic.readingAll { sealed.endLooksRight }
        }
    }

    /// Drops the file key: reads and writes throw `.keyUnavailable` until it is provided again.
    /// Waits for those that are running.
    package func revokeKey() {
        let heir = lock.exclusive { dropCipher() }
        heir?.revokeKey()
    }

    /// The same; false, and the key stays, if those are not done by the deadline.
    package func revokeKey(until deadline: Deadline) -> Bool {
        guard let heir = lock.exclusive(until: deadline, { dropCipher() }) else { return false }
        return heir?.revokeKey(until: deadline) ?? true
    }

    /// Returns the file that has the content by now, if it is not this one. The caller holds the
    /// lock alone.
    private func dropCipher() -> StoredFile? {
        guard case .sealed(let sealed) = content else { return heir }
        sealed.cipher?.revoke()
        sealed.cipher = nil
        return nil
    }

    /// Gives an unmanaged file another unmanaged owner: one write of its header.
    package func rewriteOwner(_ owner: Identity) throws(StoreError) {
        try lock.exclusive { () throws(StoreError) in
            guard case .plain(let plain) = content, var header = plain.header else { return }
            header.owner = owner
            content = .plain(try PlainContent.begun(plain.descriptor, header))
        }
    }

    /// Gives a managed file another class or managed owner: the file key is wrapped anew, the
    /// content stays, and with it the time of its last change.
    ///
    /// `asked`: the class that was asked for, to be kept in the header; nil for none. `isExposed`:
    /// bytes that are no more the file's open its key, which the header says until the content is
    /// sealed under another one.
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
            // The sealer then goes by the owner, not by the key that wrapped it so far.
            header.sealing?.keyID = .none
            let before = try system { () throws(Errno) in try status(of: sealed.descriptor.raw) }
            try sealed.rewriteHeader(header, sealer: sealer)
            // Not worth failing for: the header is written.
            try? setModificationTime(of: sealed.descriptor.raw, to: before.st_mtim)
        }
    }
}
