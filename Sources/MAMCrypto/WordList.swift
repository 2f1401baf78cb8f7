// The list of words, which stays as it is in the program.

internal import CWordList

/// BIP 39's English words in their order, as bytes of ASCII.
struct WordList: Sequence, IteratorProtocol {
    private var rest = bip39_english()

    mutating func next() -> UnsafeRawBufferPointer? {
        guard rest.pointee != 0 else { return nil }
        let start = rest
        while rest.pointee != UInt8(ascii: "\n") { rest += 1 }
        defer { rest += 1 }
        return UnsafeRawBufferPointer(start: start, count: rest - start)
    }

    /// The word at an index below 2,048.
    static func word(at index: Int) -> UnsafeRawBufferPointer {
        guard let word = WordList().dropFirst(index).first(where: { _ in true }) else {
            preconditionFailure("eleven bits are the index of a word")
        }
        return word
    }

    /// Which word was typed, in any case: all of it, or at least its first four letters. Nil if it
    /// is none of them.
    static func index(of typed: Slice<UnsafeRawBufferPointer>) -> Int? {
        WordList().enumerated().first { $0.element.isMeant(by: typed) }?.offset
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func isMeant(by typed: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard typed.count >= 4 || typed.count == count else { return false }
        // The bit that tells a capital letter makes no letter of any other byte.
        return starts(with: typed) { $0 == $1 | 0x20 }
    }
}
