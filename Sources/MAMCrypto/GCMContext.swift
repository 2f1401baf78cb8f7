// One key, prepared by one of the libraries.

/// Seals and opens under one key. For one thread at a time; `free()` cleanses it.
package enum GCMContext {
    case openSSL(OpenSSLGCM)
    #if canImport(CIPsecMB)
        case vector(VectorGCM)
    #endif

    /// Nil if the library refuses, or cannot be had. `key`: 32 bytes.
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

    /// As one word, to be exchanged by an atomic instruction. Neither 0 nor the largest one.
    var word: UInt {
        switch self {
        case .openSSL(let context): context.word
        #if canImport(CIPsecMB)
            case .vector(let context): context.word | context.kind.rawValue
        #endif
        }
    }

    /// What ``word`` told.
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
        // Memory is aligned to more than that.
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

    /// Both may be in place. When they throw, what was written is zeroed.
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
