// Where contained programs keep what they scatter, below the root of the mount.

/// The directory of an account and a user. `mamctl` makes it, and the daemon clears its caches.
package struct SealedHome: Sendable {
    /// `.contained-UID/ACCOUNT`.
    package let path: [UInt8]
    /// Where `tmp` is if its path is too long: `.contained-UID/t-` and 8 characters.
    package let shortTemporary: [UInt8]

    /// Directories that hold nothing but caches.
    package enum Cache: String, Sendable, CaseIterable {
        case cache, tmp
    }

    /// `account`: as the daemon names it.
    package init(of account: String, user: UInt32) {
        let top = Self.top(of: user) + Array("/".utf8)
        // A name may contain a slash, and must not be one of those that lead elsewhere.
        let name = account.utf8.map { $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        let leadsElsewhere = [".", "..", ""].contains(account)
        path = top + (leadsElsewhere ? Array("_".utf8) + name : name)
        shortTemporary = top + Array("t-".utf8) + Self.digest(of: name)
    }

    /// The user whose directory `.contained-UID` this name is; nil: it is none.
    package static func user(ofTop name: [UInt8]) -> UInt32? {
        guard name.starts(with: ".contained-".utf8),
            let user = UInt32(String(decoding: name.dropFirst(11), as: UTF8.self)),
            top(of: user).elementsEqual(name)
        else { return nil }
        return user
    }

    private static func top(of user: UInt32) -> [UInt8] { Array(".contained-\(user)".utf8) }

    /// The paths of a cache.
    package func paths(of cache: Cache) -> [[UInt8]] {
        [path + Array("/\(cache.rawValue)".utf8)] + (cache == .tmp ? [shortTemporary] : [])
    }

    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// 40 bits of FNV-1a. It need not resist attacks: whose files these are, their headers say.
    private static func digest(of name: [UInt8]) -> [UInt8] {
        let hash = name.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { hash, byte in
            (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        return (0..<8).map { digits[Int(hash >> (24 + 5 * UInt64($0)) & 31)] }
    }
}
