// Little-endian fields, zero padding and text in fixed-size records.

/// Reads from fixed-size records. Offsets are constants of the format, so a wrong one traps in the
/// first test.
extension RawSpan {
    package func integer<Value: FixedWidthInteger>(
        _ type: Value.Type, at offset: Int
    ) -> Value where Value: BitwiseCopyable {
        Value(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self))
    }

    package func isZero(_ range: Range<Int>) -> Bool {
        var at = range.lowerBound
        while at + 8 <= range.upperBound {
            if unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self) != 0 { return false }
            at += 8
        }
        return (at..<range.upperBound).allSatisfy {
            unsafeLoad(fromByteOffset: $0, as: UInt8.self) == 0
        }
    }

    package func array(_ range: Range<Int>) -> [UInt8] {
        range.map { unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }

    /// Whether it begins with these bytes.
    package func begins(with bytes: [UInt8]) -> Bool {
        byteCount >= bytes.count && begins(with: bytes, count: bytes.count)
    }

    /// Whether it begins with the first `count` of them; it has that many.
    package func begins(with bytes: [UInt8], count: Int) -> Bool {
        (0..<count).allSatisfy { unsafeLoad(fromByteOffset: $0, as: UInt8.self) == bytes[$0] }
    }

    /// `count` bytes of UTF-8 at the start of a zero-padded field; nil if the field holds anything
    /// else.
    package func paddedText(in field: Range<Int>, count: Int) -> String? {
        guard count <= field.count, isZero(field.lowerBound + count..<field.upperBound) else {
            return nil
        }
        let bytes = array(field.lowerBound..<field.lowerBound + count)
        return String(validating: bytes, as: UTF8.self)
    }
}

extension MutableRawSpan {
    package mutating func store<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value, at offset: Int
    ) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self)
    }

    package mutating func store(_ bytes: some Sequence<UInt8>, at offset: Int) {
        for (index, byte) in bytes.enumerated() { store(byte, at: offset + index) }
    }

    package mutating func zero(_ range: Range<Int>) {
        for offset in range { storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
    }

    /// Writes UTF-8 padded with zeros; the caller has checked that it fits.
    package mutating func store(_ text: String, paddedIn field: Range<Int>) {
        precondition(text.utf8.count <= field.count)
        zero(field)
        store(text.utf8, at: field.lowerBound)
    }
}

extension RawSpan {
    /// The version of a record with this magic, if it is above `known`: then a newer mamd wrote the
    /// record, and this one must not change it, whatever else it contains.
    package func version(above known: UInt16, magic: [UInt8]) -> Int? {
        guard byteCount >= magic.count + 2, begins(with: magic) else { return nil }
        let found = integer(UInt16.self, at: magic.count)
        return found > known ? Int(found) : nil
    }
}
