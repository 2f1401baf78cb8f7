// Whether a new PIN or passphrase satisfies the rules.

package import MAMModel

/// Why it does not.
package enum PinFlaw: Error, Sendable, Equatable {
    case notText
    case tooShort(minimum: Int)
    /// For a passphrase that seals keys in a file, regardless of policy.
    case tooShortForFile(minimum: Int)
    case needsLetterOrSymbol
    case needsDigitLetterAndSymbol
    /// `first`: the position of the first of three characters, counted from 1; never the characters
    /// themselves, which may be written down.
    case simpleSequence(first: Int, enough: Int?)
}

extension PinFlaw: Worded {
    package var description: String { message.english }

    package var message: Message {
        switch self {
        case .notText: "it is not UTF-8 text"
        case .tooShort(let minimum): "it needs at least \(minimum) characters (minimumPinLength)"
        case .tooShortForFile(let minimum):
            "it needs at least \(minimum) characters: the file allows unlimited guesses"
        case .needsLetterOrSymbol: "it needs a letter or a symbol (pinCharacterSet)"
        case .needsDigitLetterAndSymbol:
            "it needs a digit, a letter and a symbol (pinCharacterSet, simplePinBlocked)"
        case .simpleSequence(let first, let enough):
            "its characters \(first) to \(first + 2) are equal or neighbours, such as 111, 123 or"
                + " rst (simplePinBlocked)\(Self.wayOut(enough))"
        }
    }

    private static func wayOut(_ enough: Int?) -> Message {
        enough.map { "; with \($0) characters besides, that is allowed" } ?? ""
    }
}

extension PinRules {
    /// The flaw of a candidate in UTF-8; nil if there is none or no PIN is required.
    ///
    /// Reads it in place, character by character, so that no copy of a passphrase remains. A
    /// character is a Unicode scalar.
    package func flaw(in candidate: UnsafeRawBufferPointer) -> PinFlaw? {
        guard isRequired else { return nil }
        guard let found = Traits(reading: candidate) else { return .notText }
        if found.count < minimumLength { return .tooShort(minimum: minimumLength) }
        if characters == .alphanumericAndSymbol {
            if blocksSimple, !(found.hasDigit && found.hasLetter && found.hasSymbol) {
                return .needsDigitLetterAndSymbol
            }
            if !found.hasLetter, !found.hasSymbol { return .needsLetterOrSymbol }
        }
        guard blocksSimple, let first = found.firstSimpleWindow,
            found.count - found.simpleCount < longLength ?? .max
        else { return nil }
        return .simpleSequence(first: first, enough: longLength)
    }

    /// For a passphrase that seals keys in a file, where guesses are not limited; in characters.
    private static let leastForFile = 8

    /// The flaw of a passphrase for a key file: these rules apply, and a minimum length of 8 if
    /// they require less or nothing.
    package func flaw(forFile candidate: UnsafeRawBufferPointer) -> PinFlaw? {
        guard let found = Traits(reading: candidate) else { return .notText }
        let asksForMore = isRequired && minimumLength > Self.leastForFile
        if !asksForMore, found.count < Self.leastForFile {
            return .tooShortForFile(minimum: Self.leastForFile)
        }
        return flaw(in: candidate)
    }
}

/// Properties of the characters, keeping at most two of them.
private struct Traits {
    var count = 0
    var hasDigit = false
    var hasLetter = false
    var hasSymbol = false
    /// Where the first three equal characters in a row, or consecutive digits or letters in one
    /// direction, begin; from 1.
    var firstSimpleWindow: Int?
    /// How many characters end such a window, and so add next to nothing.
    var simpleCount = 0
    private var previous: Unicode.Scalar?
    private var previousStep: Step?

    init?(reading bytes: UnsafeRawBufferPointer) {
        var decoder = Unicode.UTF8()
        var rest = bytes.makeIterator()
        while true {
            switch decoder.decode(&rest) {
            case .scalarValue(let scalar): add(scalar)
            case .emptyInput: return
            case .error: return nil
            }
        }
    }

    private mutating func add(_ scalar: Unicode.Scalar) {
        count += 1
        switch scalar.properties.generalCategory {
        case .decimalNumber: hasDigit = true
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
            hasLetter = true
        default: hasSymbol = true
        }
        let step = previous.flatMap { Step(from: $0, to: scalar) }
        if step != nil, step == previousStep {
            simpleCount += 1
            firstSimpleWindow = firstSimpleWindow ?? count - 2
        }
        (previous, previousStep) = (scalar, step)
    }

    private enum Step {
        case same, up, down

        init?(from one: Unicode.Scalar, to next: Unicode.Scalar) {
            switch Int64(next.value) - Int64(one.value) {
            case 0: self = .same
            case 1 where Self.count(one) && Self.count(next): self = .up
            case -1 where Self.count(one) && Self.count(next): self = .down
            default: return nil
            }
        }

        /// Symbols have no order that people know.
        private static func count(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
        }
    }
}
