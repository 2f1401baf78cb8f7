// The allocator for secrets: guarded, locked pages, which small secrets share.

internal import CSodium
internal import MAMLocks
internal import MAMModel

/// Memory from `sodium_malloc`: locked into RAM, excluded from core dumps, between guard pages, and
/// checked for overruns when freed.
///
/// One sodium_malloc page for each of thousands of file keys would exhaust `RLIMIT_MEMLOCK` (8 MiB
/// by default) and the kernel's map count, so secrets of up to 32 bytes share slabs of 511 slots. A
/// slab is four pages minus the 16 bytes that libsodium puts before it. Slabs are reused, never
/// freed. Beyond the limit, libsodium continues with unlocked memory.
enum SecretSlots {
    static let slotByteCount = 32
    private static let slotsPerSlab = 511

    // Addresses, not pointers, because the lock's value must be Sendable. Every free slot is zero.
    private static let free = Guarded<[UInt]>([])

    /// `count` zeroed bytes. Ends the process when out of memory, as Swift does everywhere.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer {
        guard count <= slotByteCount else { return zeroed(count) }
        let address: UInt = free.withLock { free in
            if free.isEmpty { free = newSlab() }
            return free.removeLast()
        }
        guard let slot = UnsafeMutableRawPointer(bitPattern: address) else {
            preconditionFailure("a slot has an address")
        }
        return slot
    }

    /// Zeroes and frees the bytes.
    static func release(_ start: UnsafeMutableRawPointer, _ count: Int) {
        guard count <= slotByteCount else {
            sodium_free(start)  // zeroes first
            return
        }
        sodium_memzero(start, slotByteCount)
        free.withLock { $0.append(UInt(bitPattern: start)) }
    }

    private static func newSlab() -> [UInt] {
        let start = UInt(bitPattern: zeroed(slotsPerSlab * slotByteCount))
        return (0..<slotsPerSlab).map { start + UInt($0 * slotByteCount) }
    }

    private static func zeroed(_ count: Int) -> UnsafeMutableRawPointer {
        startCrypto()
        guard let start = sodium_malloc(count) else {
            preconditionFailure("out of memory for keys")
        }
        sodium_memzero(start, count)
        return start
    }
}
