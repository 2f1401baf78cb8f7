// Every binary record begins with a magic and a version.

extension RawSpan {
    /// The version of a record with this magic, if it is above `known`: then a newer mamd wrote the
    /// record, and this one must not change it, whatever else it contains.
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
