// One file's cipher: many blocks under one key, on many threads.

/// Seals and opens the blocks of one file with AES-256-GCM.
///
/// Key setup takes several times as long as setting a nonce, so contexts are reused; two are kept
/// when idle. Allocates nothing per block.
package final class BlockCipher: Sendable {
    /// The file key, for wrapping it again.
    package let key: SecretBytes

    private let idle = IdleContexts()

    /// Takes a 32-byte key; creates no context yet.
    package init(key: SecretBytes) {
        self.key = key
    }

    deinit { freeIdle() }

    /// Borrows one context for a whole request, so that its blocks touch nothing that threads
    /// share.
    ///
    /// After ``revoke()`` every operation of the session fails with ``SealError/failure``.
    package func withSession<Result, Failure: Error>(
        _ body: (borrowing Session) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let context = takeContext()
        defer { if let context { giveBack(context) } }
        return try body(Session(context: context))
    }

    /// Erases the key and the idle contexts. Sessions in progress keep their contexts, which are
    /// cleansed on return: drain requests first to be sure that none is left.
    package func revoke() {
        key.erase()
        freeIdle()
    }

    // A revoked cipher's key is erased, so no new context can be created.
    private func takeContext() -> GCMContext? { idle.take() ?? AESGCM.context(for: key) }

    private func giveBack(_ context: GCMContext) {
        if !idle.keep(context) { context.free() }
    }

    private func freeIdle() {
        let (first, second) = idle.close()
        first?.free()
        second?.free()
    }

    /// A borrowed context, for the request's own thread.
    package struct Session: ~Copyable {
        fileprivate let context: GCMContext?

        /// Encrypts and authenticates one payload; in place if `ciphertext` and `plain` are the
        /// same memory.
        ///
        /// The caller ensures that the nonce is unique: fresh random bytes at every write (see
        /// docs/FORMAT.md, section 1.2). The nonce and the tag are 16 bytes; the ciphertext is as
        /// long as the plaintext.
        package func seal(
            _ plain: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
            associatedData: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawPointer,
            tag: UnsafeMutableRawPointer
        ) throws(SealError) {
            guard let context else { throw .failure }
            try context.seal(
                plain, nonce: nonce, associatedData: associatedData, into: ciphertext, tag: tag)
        }

        /// Verifies and decrypts one payload; in place if `plain` and `ciphertext` are the same
        /// memory. Zeroes what it wrote if it throws.
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
