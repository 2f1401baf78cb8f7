// One file's cipher: many blocks under one key, from many threads.

/// Seals and opens the blocks of one file with AES-256-GCM.
///
/// Setting the key up costs several times what a nonce does, so contexts with the key in them are
/// kept and lent out, two while nobody works. Nothing is allocated per block.
package final class BlockCipher: Sendable {
    /// The file key, for wrapping it again.
    package let key: SecretBytes

    private let idle = IdleContexts()

    /// Takes a key of 32 bytes; makes no context yet.
    package init(key: SecretBytes) {
        self.key = key
    }

    deinit { freeIdle() }

    /// Borrows one context for a whole request: its blocks do not touch what threads share.
    ///
    /// After ``revoke()`` the session is there, and all it is asked fails with
    /// ``SealError/failure``.
    package func withSession<Result, Failure: Error>(
        _ body: (borrowing Session) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let context = takeContext()
        defer { if let context { giveBack(context) } }
        return try body(Session(context: context))
    }

    /// Ends the cipher: erases the key and cleanses the idle contexts. Sessions that are out go on
    /// with theirs, which are cleansed on return, so drain requests first to be sure that none is
    /// left.
    package func revoke() {
        key.erase()
        freeIdle()
    }

    // A revoked cipher has an erased key, of which no context can be made.
    private func takeContext() -> GCMContext? { idle.take() ?? AESGCM.context(for: key) }

    private func giveBack(_ context: GCMContext) {
        if !idle.keep(context) { context.free() }
    }

    private func freeIdle() {
        let (first, second) = idle.close()
        first?.free()
        second?.free()
    }

    /// A context on loan; stays within the request's thread.
    package struct Session: ~Copyable {
        fileprivate let context: GCMContext?

        /// Encrypts and authenticates one payload; in place if `ciphertext` is where `plain` is.
        ///
        /// The nonce's uniqueness comes from the caller: fresh random bytes at every write (see
        /// docs/FORMAT.md, section 1.2). The nonce and the tag are 16 bytes; the ciphertext is as
        /// long as the plain bytes.
        package func seal(
            _ plain: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
            associatedData: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawPointer,
            tag: UnsafeMutableRawPointer
        ) throws(SealError) {
            guard let context else { throw .failure }
            try context.seal(
                plain, nonce: nonce, associatedData: associatedData, into: ciphertext, tag: tag)
        }

        /// Verifies and decrypts one payload; in place if `plain` is where `ciphertext` is. When it
        /// throws, what it wrote is zeroed.
        package func open(
            _ ciphertext: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
            associatedData: UnsafeRawBufferPointer, tag: UnsafeRawPointer,
            into plain: UnsafeMutableRawPointer
        ) throws(SealError) {
            guard let context else { throw .failure }
            try context.open(
                ciphertext, nonce: nonce, associatedData: associatedData, tag: tag, into: plain)
        }
    }
}
