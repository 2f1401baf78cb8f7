// AES-256-GCM of Intel's library, with the processor's vector instructions (docs/adr/0026).

#if canImport(CIPsecMB)
    internal import CCrypto
    internal import CIPsecMB
    internal import CShims

    /// One key's schedule and powers of its hash key: 1 KiB on the heap, outside the locked memory.
    /// `free()` cleanses it.
    ///
    /// The library's functions are called directly and keep no state between calls.
    // @unchecked Sendable: the schedule is only read.
    package struct VectorGCM: @unchecked Sendable {
        /// The instruction set; the number tags a context's word.
        enum Kind: UInt {
            case avx = 1
            case vaes = 2
        }

        let kind: Kind
        private let functions: mam_vector_gcm
        private let key: UnsafeMutablePointer<gcm_key_data>

        // The library requires it.
        private static let alignment = 64

        private static let avx = find(MAM_VECTOR_AVX)
        private static let vaes = find(MAM_VECTOR_VAES)

        private static func find(_ kind: mam_vector_kind) -> mam_vector_gcm? {
            var found = mam_vector_gcm()
            let isGood = mam_vector_gcm_find(kind, &found) == 1
            // The library's self-test has paged in megabytes that are never used again.
            if isGood { mam_let_library_go(mam_vector_gcm_place(&found)) }
            return isGood ? found : nil
        }

        /// Nil if the processor or the library's build lacks the instructions.
        private static func functions(_ kind: Kind) -> mam_vector_gcm? {
            switch kind {
            case .avx: avx
            case .vaes: vaes
            }
        }

        /// The library's version.
        static var version: String { String(cString: imb_get_version_str()) }

        /// Nil if unavailable. `key`: 32 bytes.
        init?(key bytes: UnsafePointer<UInt8>, _ kind: Kind) {
            guard let functions = Self.functions(kind) else { return nil }
            self.kind = kind
            self.functions = functions
            let room = UnsafeMutableRawPointer.allocate(
                byteCount: MemoryLayout<gcm_key_data>.size, alignment: Self.alignment)
            key = room.bindMemory(to: gcm_key_data.self, capacity: 1)
            withUnsafePointer(to: functions) { mam_vector_gcm_prepare($0, bytes, key) }
        }

        var word: UInt { UInt(bitPattern: key) }

        /// The inverse of ``word``.
        init?(word: UInt, _ kind: Kind) {
            guard let functions = Self.functions(kind),
                let key = UnsafeMutablePointer<gcm_key_data>(bitPattern: word)
            else { return nil }
            self.kind = kind
            self.functions = functions
            self.key = key
        }

        func free() {
            OPENSSL_cleanse(key, MemoryLayout<gcm_key_data>.size)
            UnsafeMutableRawPointer(key).deallocate()
        }

        func seal(
            _ plain: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
            associatedData: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawPointer,
            tag: UnsafeMutableRawPointer
        ) {
            withUnsafePointer(to: functions) { functions in
                mam_vector_gcm_seal(
                    functions, key, octets(plain.baseAddress), plain.count, octets(nonce),
                    octets(associatedData.baseAddress), associatedData.count, octets(ciphertext),
                    octets(tag))
            }
        }

        func open(
            _ ciphertext: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
            associatedData: UnsafeRawBufferPointer, tag: UnsafeRawPointer,
            into plain: UnsafeMutableRawPointer
        ) throws(SealError) {
            let isAuthentic = withUnsafePointer(to: functions) { functions in
                mam_vector_gcm_open(
                    functions, key, octets(ciphertext.baseAddress), ciphertext.count, octets(nonce),
                    octets(associatedData.baseAddress), associatedData.count, octets(tag),
                    octets(plain))
            }
            guard isAuthentic == 1 else {
                OPENSSL_cleanse(plain, ciphertext.count)
                throw .notAuthentic
            }
        }
    }
#endif
