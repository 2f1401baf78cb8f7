// Messages in the person's language.

package import MAMModel

extension Message {
    /// What a person gets.
    package var translated: String {
        if sentences.count > 1, let whole = Sentence(joining: sentences).translated { return whole }
        return sentences.map { $0.translated ?? $0.untranslated }.joined()
    }
}

extension Sentence {
    /// As the catalogue has it; nil if it does not.
    var translated: String? {
        guard format.hasLetters else { return nil }
        let found =
            if let singular { Catalogue.words(for: singular, format, count) } else {
                Catalogue.words(for: format)
            }
        return found.map { format in filled(format) { $0.translated } }
    }

    /// In English, but for its values.
    var untranslated: String { filled(id) { $0.translated } }
}

extension Sentence.Argument {
    var translated: String {
        switch self {
        case .text(let text): text
        case .message(let message): message.translated
        case .error(let error): Catalogue.words(for: error) ?? error.description
        case .number(let number):
            number.grouped(like: Catalogue.words(for: Self.thousand) ?? Self.thousand)
        }
    }
}

extension String {
    /// True if there is a letter outside the placeholders: something to translate.
    fileprivate var hasLetters: Bool {
        var before: Unicode.Scalar = " "
        return unicodeScalars.contains { scalar in
            defer { before = scalar }
            return scalar.properties.isAlphabetic && (before != "%" || scalar != "s")
        }
    }
}
