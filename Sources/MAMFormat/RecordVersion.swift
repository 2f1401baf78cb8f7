// What every binary record of ours begins with: a magic, then the version.

extension RawSpan {
    /// The version of a record with this magic, if it is above what is known: whatever the rest
    /// says, a newer mamd wrote it, and only that may change it.
    package func version(above known: UInt16, magic: [UInt8]) -> Int? {
        guard byteCount >= magic.count + 2,
            magic.indices.allSatisfy({
                unsafeLoad(fromByteOffset: $0, as: UInt8.self) == magic[$0]
            })
        else { return nil }
        let found = integer(UInt16.self, at: magic.count)
        return found > known ? Int(found) : nil
    }
}
