// The words of a recovery passphrase: shown once, or written to a file.

internal import Glibc
internal import MAMCommandLine
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

struct RecoveryPassphrase {
    private let text = RecoveryWords.generate()
    private let words: [SecretBytes]

    init() {
        words = text.withBytes { text in
            text.split(separator: UInt8(ascii: " ")).map {
                SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0))
            }
        }
    }

    func secret() throws(Errno) -> SecretBuffer {
        let secret = try SecretBuffer()
        text.withBytes { for byte in $0 { _ = secret.append(byte) } }
        return secret
    }

    /// As one line, which `--passfile` takes.
    func write(to file: NewFile) throws(Failure) {
        let line = SecretBytes.joining([.secret(text), .text("\n")])
        try naming(file.path) { () throws(Errno) in
            try line.withBytes { bytes throws(Errno) in
                try writeFully(file.descriptor.raw, from: bytes, at: 0)
            }
        }
        try file.finish(mode: 0o600)
    }

    /// Shows the words until two of them are typed, which proves that they were written down.
    /// False after three wrong answers. `label`: the account's.
    func areKept(by label: String) throws -> Bool {
        try PrivateScreen.run { screen in
            var note: Message = ""
            for _ in 0..<3 {
                page(label, note).withBytes { screen.show($0) }
                _ = try screen.ask(
                    "Press Enter once they are written down: two of them are asked for")
                screen.clear()
                guard let wrong = try firstWrong(on: screen) else { return true }
                note = "That was not word \(wrong). Check what is written down.\n\n"
                screen.clear()
            }
            return false
        }
    }

    /// The number of the word that is not typed as it was shown; nil if both are.
    private func firstWrong(on screen: PrivateScreen) throws -> Int? {
        for number in (1...words.count).shuffled().prefix(2) {
            let typed = try screen.ask("Word \(number)")
            guard isSame(typed, words[number - 1]) else { return number }
        }
        return nil
    }

    /// In any case, as the daemon takes them.
    private func isSame(_ typed: SecretBuffer, _ word: SecretBytes) -> Bool {
        typed.withBytes { typed in
            word.withBytes { word in
                typed.count == word.count && zip(typed, word).allSatisfy { $0 | 0x20 == $1 }
            }
        }
    }

    // MARK: The page

    /// The words come last: they stay in sight where there is not room for all.
    private func page(_ label: String, _ note: Message) -> SecretBytes {
        let rows = words.count / 2
        let head: Message = "Recovery passphrase of \(label)\n\n"
        let advice: Message = """
            Write these words down, in their order, and keep them where this machine is
            not. With them it opens the account when its passphrase is forgotten. They are
            not shown again.

            """
        var pieces = [note, head, advice].map { SecretBytes.Piece.text($0.translated) }
        pieces.append(.text("\n"))
        for row in 0..<rows { pieces += cell(row) + cell(row + rows) + [.text("\n")] }
        return .joining(pieces + [.text("\n")])
    }

    private func cell(_ place: Int) -> [SecretBytes.Piece] {
        let number = place < 9 ? " \(place + 1)" : "\(place + 1)"
        let room = String(repeating: " ", count: max(1, 12 - words[place].count))
        return [.text("  \(number)  "), .secret(words[place]), .text(room)]
    }
}
