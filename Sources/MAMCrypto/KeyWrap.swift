// A key sealed under another key, as in headers and keybags.

/// `nonce 16 | key 32 | tag 16`: 64 bytes, AES-256-GCM. See docs/FORMAT.md, sections 1.3 and 3.
package enum KeyWrap {
    /// The length of a wrapped key.
    package static let byteCount = 64
    private static let key = 16..<48
    private static let tag = 48..<64

    /// Wraps 32 bytes under a fresh random nonce.
    package static func wrap(
        _ secret: SecretBytes, under wrappingKey: SecretBytes,
        associatedData: UnsafeRawBufferPointer, into wrapped: UnsafeMutableRawBufferPointer
    ) throws(SealError) {
        precondition(wrapped.count == byteCount)
        guard let start = wrapped.baseAddress else { throw .failure }
        try withContext(for: wrappingKey) { context throws(SealError) in
            try secret.withBytes { plain throws(SealError) in
                guard plain.count == key.count else { throw .failure }
                SecureRandom.fill(.init(rebasing: wrapped[..<key.lowerBound]))
                try context.seal(
                    plain, nonce: start, associatedData: associatedData,
                    into: start + key.lowerBound, tag: start + tag.lowerBound)
            }
        }
    }

    /// The inverse of ``wrap(_:under:associatedData:into:)``.
    package static func unwrap(
        _ wrapped: UnsafeRawBufferPointer, under wrappingKey: SecretBytes,
        associatedData: UnsafeRawBufferPointer
    ) throws(SealError) -> SecretBytes {
        precondition(wrapped.count == byteCount)
        guard let start = wrapped.baseAddress else { throw .failure }
        return try withContext(for: wrappingKey) { context throws(SealError) in
            try SecretBytes(count: key.count) { plain throws(SealError) in
                guard let into = plain.baseAddress else { throw .failure }
                try context.open(
                    UnsafeRawBufferPointer(rebasing: wrapped[key]), nonce: start,
                    associatedData: associatedData, tag: start + tag.lowerBound, into: into)
            }
        }
    }

    private static func withContext<Result>(
        for key: SecretBytes, _ body: (GCMContext) throws(SealError) -> Result
    ) throws(SealError) -> Result {
        guard let context = AESGCM.context(for: key) else { throw .failure }
        defer { context.free() }
        return try body(context)
    }
}
