// A passphrase that nobody chose: words to be written down on paper.

internal import CSodium
package import MAMModel

/// A recovery passphrase: 128 random bits and the first 4 of their SHA-256, as twelve words of BIP
/// 39's English list, of 11 bits each.
///
/// A word is found by reading the list from its start, so the time that this takes depends on the
/// words. Only a program that runs on the same machine at that moment can measure it.
package enum RecoveryWords {
    /// The length of what the words stand for, in bytes.
    package static let entropyByteCount = 16
    /// How many words there are.
    package static let wordCount = 12

    private static let bitsPerWord = 11
    // The last one has the checksum in its upper half; no word has its lower half.
    private static let allByteCount = entropyByteCount + 1

    /// A new passphrase: lower-case words of ASCII with single spaces between them.
    package static func generate() -> SecretBytes {
        SecretBytes.random(count: entropyByteCount).withBytes(words(of:))
    }

    /// The 16 bytes that a passphrase stands for; nil unless it is twelve known words, the last of
    /// which has the right checksum. Nil if it was erased.
    ///
    /// Takes it as people type it: in any case, each word whole or by its first four letters. White
    /// space, commas, full stops and digits stand between words, so they may be a numbered list.
    package static func entropy(of text: SecretBytes) -> SecretBytes? {
        let all = SecretBytes(count: allByteCount)
        guard text.withBytes({ text in all.withMutableBytes { read(text, into: $0) } }) else {
            return nil
        }
        return all.withBytes { all in
            let entropy = UnsafeRawBufferPointer(rebasing: all[..<entropyByteCount])
            guard all[entropyByteCount] == checksum(of: entropy) else { return nil }
            return SecretBytes(copying: entropy)
        }
    }

    /// What is wrong with a text that can only be meant as a recovery passphrase: at most one word
    /// is missing or too much, and at least ten are known. Nil if it is one, or not meant as one.
    package static func mistake(in text: SecretBytes) -> Mistake? {
        guard entropy(of: text) == nil else { return nil }
        return text.withBytes { text in
            let words = text.split(whereSeparator: isBetweenWords)
            guard abs(words.count - wordCount) <= 1 else { return nil }
            let unknown = words.indices.filter { WordList.index(of: words[$0]) == nil }
            guard words.count - unknown.count >= wordCount - 2 else { return nil }
            if words.count != wordCount { return .count(words.count) }
            return unknown.first.map { .unknown($0 + 1) } ?? .checksum
        }
    }

    package enum Mistake: Equatable {
        /// There are so many words.
        case count(Int)
        /// The first word that is none of the list, counted from 1.
        case unknown(Int)
        /// A word is another of the list, or their order is another.
        case checksum

        /// Why it is not tried.
        package var message: Message {
            let words: Message =
                switch self {
                case .count(let count): "a recovery passphrase has twelve words, not \(count)"
                case .unknown(let number):
                    "word \(number) is none that a recovery passphrase has"
                case .checksum:
                    "a word of the recovery passphrase is another, or their order is"
                }
            return "\(words): it was not tried"
        }
    }

    /// The passphrase for 16 bytes.
    static func words(of entropy: UnsafeRawBufferPointer) -> SecretBytes {
        precondition(entropy.count == entropyByteCount)
        let all = SecretBytes(count: allByteCount) { all in
            all.copyMemory(from: entropy)
            all[entropyByteCount] = checksum(of: entropy)
        }
        return all.withBytes { all in
            let words = (0..<wordCount).map { place in
                [SecretBytes.Piece.secret(.init(copying: WordList.word(at: index(place, in: all))))]
            }
            return .joining(Array(words.joined(separator: [.text(" ")])))
        }
    }

    /// False unless there are twelve known words. `all` is zeros before.
    private static func read(
        _ text: UnsafeRawBufferPointer, into all: UnsafeMutableRawBufferPointer
    ) -> Bool {
        let words = text.split(whereSeparator: isBetweenWords)
        guard words.count == wordCount else { return false }
        for (place, word) in words.enumerated() {
            guard let index = WordList.index(of: word) else { return false }
            put(index, place, into: all)
        }
        return true
    }

    private static func isBetweenWords(_ byte: UInt8) -> Bool {
        switch UnicodeScalar(byte) {
        case " ", "\t", "\n", "\r", ",", ".", "0"..."9": true
        default: false
        }
    }

    private static func put(_ index: Int, _ place: Int, into all: UnsafeMutableRawBufferPointer) {
        for bit in 0..<bitsPerWord where index >> (bitsPerWord - 1 - bit) & 1 == 1 {
            let at = place * bitsPerWord + bit
            all[at / 8] |= 0x80 >> (at % 8)
        }
    }

    private static func index(_ place: Int, in all: UnsafeRawBufferPointer) -> Int {
        (0..<bitsPerWord).reduce(0) { index, bit in
            let at = place * bitsPerWord + bit
            return index << 1 | Int(all[at / 8] >> (7 - at % 8) & 1)
        }
    }

    /// In the upper half of the byte.
    private static func checksum(of entropy: UnsafeRawBufferPointer) -> UInt8 {
        let digest = SecretBytes(count: SHA256.byteCount) { digest in
            guard let into = digest.baseAddress, let start = octets(entropy.baseAddress) else {
                return
            }
            crypto_hash_sha256(octets(into), start, UInt64(entropy.count))
        }
        return digest.withBytes { $0[0] & 0xF0 }
    }
}
