// The library that seals (docs/adr/0026).

internal import CCrypto
internal import Synchronization

/// The implementations of AES-256-GCM, which give identical results.
package enum GCMLibrary: String, CaseIterable, Sendable {
    case openSSL = "openssl"
    /// Intel's IPsec Multi-Buffer library, with AES-NI and AVX2.
    case avx
    /// The same with VAES and AVX-512.
    case vaes

    /// The forced library, or the fastest that is available here.
    package static let chosen: GCMLibrary = forced.withLock(\.self) ?? fastest

    private static let forced = Mutex<GCMLibrary?>(nil)

    private static var fastest: GCMLibrary {
        [.vaes, .avx].first(where: \.isUsable) ?? .openSSL
    }

    /// Forces one library; call before any key is used. False if it is unavailable, disagrees with
    /// OpenSSL, or OpenSSL's validated (FIPS) module is required.
    package static func force(_ library: GCMLibrary) -> Bool {
        guard library.isUsable else { return false }
        forced.withLock { $0 = library }
        return chosen == library
    }

    private var isUsable: Bool {
        self == .openSSL || (Self.isChoiceFree && agreesWithOpenSSL)
    }

    // A system that requires OpenSSL's validated module must not use another library.
    private static var isChoiceFree: Bool { EVP_default_properties_is_fips_enabled(nil) != 1 }

    /// True if the library is available.
    package var isAvailable: Bool {
        guard let context = AESGCM.context(for: SecretBytes(count: AESGCM.keyByteCount), by: self)
        else { return false }
        context.free()
        return true
    }

    // Lengths around the instructions' vector widths, and that of a block.
    private static let lengths = [0, 1, 15, 16, 17, 255, 256, 257, 767, 768, 769, 4064]

    /// Seals with each library and opens with the other, so that a fault shows here and not in a
    /// user's file.
    private var agreesWithOpenSSL: Bool {
        let key = SecretBytes(count: AESGCM.keyByteCount) { key in
            for place in key.indices { key[place] = UInt8(place) }
        }
        guard let mine = AESGCM.context(for: key, by: self) else { return false }
        defer { mine.free() }
        guard let reference = AESGCM.context(for: key, by: .openSSL) else { return false }
        defer { reference.free() }
        return Self.lengths.allSatisfy {
            crosses(mine, reference, $0) && crosses(reference, mine, $0)
        }
    }

    private func crosses(_ one: GCMContext, _ other: GCMContext, _ count: Int) -> Bool {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count + AESGCM.nonceByteCount + AESGCM.tagByteCount, alignment: 16)
        defer { bytes.deallocate() }
        guard let start = bytes.baseAddress else { return false }
        for place in bytes.indices { bytes[place] = UInt8(truncatingIfNeeded: place) }
        let text = UnsafeRawBufferPointer(start: start, count: count)
        let nonce = UnsafeRawBufferPointer(
            start: start + count, count: AESGCM.nonceByteCount)
        let tag = start + count + AESGCM.nonceByteCount
        do throws(SealError) {
            try one.seal(text, nonce: start + count, associatedData: nonce, into: start, tag: tag)
            try other.open(
                text, nonce: start + count, associatedData: nonce, tag: tag, into: start)
        } catch { return false }
        return text.indices.allSatisfy { text[$0] == UInt8(truncatingIfNeeded: $0) }
    }
}
