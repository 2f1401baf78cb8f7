// Keys in addition to an account's current ones: its earlier keys and imported ones. They open
// files but seal none.

internal import MAMCrypto
internal import MAMFormat
internal import MAMModel

/// The variable part of keybags and exports: docs/FORMAT.md, sections 3.1 and 3.2.
struct OtherKeys: Sendable, Equatable {
    /// Keys of A, B and C, oldest first.
    var retired: [RetiredKeys] = []
    /// Keys of D.
    var joined: [JoinedKey] = []

    static let maximumByteCount =
        Counts(retired: RetiredKeys.maximumCount, joined: JoinedKey.maximumCount).byteCount

    /// A class key with its id.
    struct Key: Sendable {
        let id: KeyID
        let protectionClass: ProtectionClass
        let secret: SecretBytes
    }

    /// The counts in a record's fixed fields.
    struct Counts: Equatable {
        var retired: Int
        var joined: Int

        var byteCount: Int { RetiredKeys.byteCount * retired + JoinedKey.byteCount * joined }

        /// The oldest format that supports these counts.
        var version: UInt16 { joined > 0 ? 3 : retired > 0 ? 2 : 1 }

        /// Reads both counts; keybags and exports share the offset of the joined keys.
        init(in record: RawSpan, retiredAt offset: Int) {
            retired = Int(record.integer(UInt8.self, at: offset))
            joined = Int(record.integer(UInt8.self, at: KeybagOffset.joinedCount))
        }

        init(retired: Int, joined: Int) { (self.retired, self.joined) = (retired, joined) }

        func store(in record: inout MutableRawSpan, retiredAt offset: Int) {
            record.store(UInt8(retired), at: offset)
            record.store(UInt8(joined), at: KeybagOffset.joinedCount)
        }
    }

    init() {}

    /// Nil if there are too many, an id is zero, or two ids are equal, including those of
    /// `current`.
    init?(
        decoding record: RawSpan, at offset: Int, _ counts: Counts, beside current: PerClass<KeyID>
    ) {
        guard counts.retired <= RetiredKeys.maximumCount, counts.joined <= JoinedKey.maximumCount
        else { return nil }
        for index in 0..<counts.retired {
            let place = offset + RetiredKeys.byteCount * index
            guard let keys = RetiredKeys(decoding: record, at: place) else { return nil }
            retired.append(keys)
        }
        let start = offset + RetiredKeys.byteCount * counts.retired
        for index in 0..<counts.joined {
            let place = start + JoinedKey.byteCount * index
            guard let key = JoinedKey(decoding: record, at: place) else { return nil }
            joined.append(key)
        }
        let names = keyIDs(beside: current)
        guard Set(names).count == names.count else { return nil }
    }

    var counts: Counts { Counts(retired: retired.count, joined: joined.count) }

    var bytes: [UInt8] { retired.flatMap(\.bytes) + joined.flatMap(\.bytes) }

    /// Their ids, each with its class.
    var names: [(id: KeyID, protectionClass: ProtectionClass)] {
        retired.flatMap { set in
            zip(set.keyIDs, RetiredKeys.classes).map { (id: $0, protectionClass: $1) }
        } + joined.map { (id: $0.id, protectionClass: .none) }
    }

    func keyIDs(beside current: PerClass<KeyID>) -> [KeyID] {
        ProtectionClass.allCases.map { current[$0] } + names.map(\.id)
    }

    /// `current`: the account's current keys.
    func open(under current: ClassKeys, _ account: AccountID) throws(KeyringError) -> [Key] {
        var keys = try openJoined(under: current.d, account)
        for set in retired { keys += try set.open(under: current, account) }
        return keys
    }

    /// The keys of D, which are loaded whenever D is.
    func openJoined(
        under keyD: SecretBytes, _ account: AccountID
    ) throws(KeyringError) -> [Key] {
        var keys: [Key] = []
        for key in joined { keys.append(try key.open(under: keyD, account)) }
        return keys
    }
}

extension [OtherKeys.Key] {
    /// By key id.
    var secrets: [KeyID: SecretBytes] {
        Dictionary(map { ($0.id, $0.secret) }, uniquingKeysWith: { one, _ in one })
    }
}
