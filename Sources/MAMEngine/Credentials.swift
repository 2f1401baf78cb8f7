// A `.creds` file: a user's token and seed, as NATS' clients read them.

package import MAMCrypto
package import MAMFleet
internal import MAMModel

package struct Credentials: Sendable {
    package let token: Token
    package let seed: NKeySeed

    package static let maximumByteCount = 1 << 16

    package init(_ token: Token, _ seed: NKeySeed) {
        precondition(token.subject == seed.key)
        (self.token, self.seed) = (token, seed)
    }

    /// The content of the file.
    package var text: SecretBytes {
        .joining([
            .text(
                Mark.token.begin + "\n" + token.text + "\n" + Mark.token.end + "\n\n"
                    + "Whoever has the seed below is this user: keep it secret.\n\n"
                    + Mark.seed.begin + "\n"),
            .secret(seed.text), .text("\n" + Mark.seed.end + "\n"),
        ])
    }

    package init(parsing file: SecretBytes) throws(Refusal) {
        guard let text = Mark.token.line(in: file), let secret = Mark.seed.line(in: file) else {
            throw .malformed("it is no NATS credentials file")
        }
        let token = try Token(
            parsing: text.withBytes { String(decoding: $0, as: UTF8.self) })
        let seed: NKeySeed
        do throws(NKeySeed.Malformed) { seed = try NKeySeed(parsing: secret, .user) } catch {
            throw .malformed("\(error)")
        }
        guard token.kind == .user, token.subject == seed.key else {
            throw .malformed("the token and the seed are not of one user")
        }
        self.init(token, seed)
    }
}

/// The lines around a token and around a seed. The dashes differ as they do in NATS' own files.
private struct Mark {
    let begin: String
    let end: String

    static let token = Mark(
        begin: "-----BEGIN NATS USER JWT-----", end: "------END NATS USER JWT------")
    static let seed = Mark(
        begin: "-----BEGIN USER NKEY SEED-----", end: "------END USER NKEY SEED------")

    /// The line between ``begin`` and ``end``.
    func line(in file: SecretBytes) -> SecretBytes? {
        file.withBytes { bytes -> SecretBytes? in
            let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            guard let at = lines.firstIndex(where: { $0.elementsEqual(begin.utf8) }),
                at + 2 < lines.count, lines[at + 2].elementsEqual(end.utf8)
            else { return nil }
            return SecretBytes(copying: .init(rebasing: lines[at + 1]))
        }
    }
}
