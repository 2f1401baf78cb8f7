// The cost of one guess at a passphrase.

internal import MAMCrypto
package import MAMModel
internal import MAMSystem

/// Argon2id's passes and memory; parallelism is always 1. Stored in the keybag, so that later
/// versions can raise it.
package struct KeyDerivationCost: Sendable, Equatable {
    package let passes: UInt32
    /// A multiple of 1 KiB, which is Argon2's unit.
    package let memoryByteCount: UInt64

    /// libsodium's MODERATE: 256 MiB and 3 passes. Measured: 0.32 s on one core of a 2-core cloud
    /// machine.
    package static let standard = KeyDerivationCost(unchecked: 3, memoryByteCount: 256 << 20)

    /// Nil for values that libsodium's Argon2id rejects: no passes, under 8 KiB or over 4 TiB - 1
    /// KiB of memory.
    package init?(passes: UInt32, memoryByteCount: UInt64) {
        guard passes >= 1, (8 << 10..<4 << 40).contains(memoryByteCount),
            memoryByteCount % 1024 == 0
        else { return nil }
        self.init(unchecked: passes, memoryByteCount: memoryByteCount)
    }

    private init(unchecked passes: UInt32, memoryByteCount: UInt64) {
        self.passes = passes
        self.memoryByteCount = memoryByteCount
    }
}

extension KeyDerivationCost {
    /// False above the standard cost, which no version of mamd exceeds: an export from elsewhere
    /// chooses the cost of opening it, and must not keep the machine busy.
    var isBearable: Bool {
        passes <= Self.standard.passes && memoryByteCount <= Self.standard.memoryByteCount
    }

    /// False above what the settings can ask for: who forges a slot with the device secret must not
    /// keep the machine busy for ever.
    var isSettable: Bool { passes <= 100 && memoryByteCount <= 4 << 30 }

    private static let lock = FairLock()

    /// Argon2id at this cost, under the fair lock for derivations.
    func stretch(
        _ passphrase: SecretBytes, salt: Bytes16, for user: UInt32
    ) throws(DerivationError) -> SecretBytes {
        try Self.lock.withLock(for: user) { () throws(DerivationError) in
            try Derivation.argon2id(
                passphrase: passphrase, salt: salt, passes: passes,
                memoryByteCount: memoryByteCount)
        }
    }
}

/// How a key is derived from a passphrase. Not secret.
package struct DerivationParameters: Sendable, Equatable {
    package let cost: KeyDerivationCost
    package let salt: Bytes16
}
