// One key, set up for one of the libraries.

/// Seals and opens under one key. For one thread at a time; `free()` cleanses it.
package enum GCMContext {
    case openSSL(OpenSSLGCM)
    #if canImport(CIPsecMB)
        case vector(VectorGCM)
    #endif

    /// Nil if the library fails or is unavailable. `key`: 32 bytes.
    init?(key: UnsafePointer<UInt8>, by library: GCMLibrary) {
        switch library {
        case .openSSL:
            guard let context = OpenSSLGCM(key: key) else { return nil }
            self = .openSSL(context)
        case .avx, .vaes:
            #if canImport(CIPsecMB)
                let kind = library == .vaes ? VectorGCM.Kind.vaes : .avx
                guard let context = VectorGCM(key: key, kind) else { return nil }
                self = .vector(context)
            #else
                return nil
            #endif
        }
    }

    /// Packed into one word for atomic exchange; never 0 or the maximum.
    var word: UInt {
        switch self {
        case .openSSL(let context): context.word
        #if canImport(CIPsecMB)
            case .vector(let context): context.word | context.kind.rawValue
        #endif
        }
    }

    /// The inverse of ``word``.
    init?(word: UInt) {
        #if canImport(CIPsecMB)
            if let kind = VectorGCM.Kind(rawValue: word & Self.marks) {
                guard let context = VectorGCM(word: word & ~Self.marks, kind) else { return nil }
                self = .vector(context)
                return
            }
        #endif
        guard let context = OpenSSLGCM(word: word) else { return nil }
        self = .openSSL(context)
    }

    #if canImport(CIPsecMB)
        // The tag bits: pointers are aligned to more than 4 bytes.
        private static var marks: UInt { 3 }
    #endif

    package func free() {
        switch self {
        case .openSSL(let context): context.free()
        #if canImport(CIPsecMB)
            case .vector(let context): context.free()
        #endif
        }
    }

    /// May work in place. Zeroes what it wrote if it throws.
    package func seal(
        _ plain: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
        associatedData: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawPointer,
        tag: UnsafeMutableRawPointer
    ) throws(SealError) {
        switch self {
        case .openSSL(let context):
            try context.seal(
                plain, nonce: nonce, associatedData: associatedData, into: ciphertext, tag: tag)
        #if canImport(CIPsecMB)
            case .vector(let context):
                context.seal(
                    plain, nonce: nonce, associatedData: associatedData, into: ciphertext, tag: tag)
        #endif
        }
    }

    package func open(
        _ ciphertext: UnsafeRawBufferPointer, nonce: UnsafeRawPointer,
        associatedData: UnsafeRawBufferPointer, tag: UnsafeRawPointer,
        into plain: UnsafeMutableRawPointer
    ) throws(SealError) {
        switch self {
        case .openSSL(let context):
            try context.open(
                ciphertext, nonce: nonce, associatedData: associatedData, tag: tag, into: plain)
        #if canImport(CIPsecMB)
            case .vector(let context):
                try context.open(
                    ciphertext, nonce: nonce, associatedData: associatedData, tag: tag, into: plain)
        #endif
        }
    }
}
