// A secret that is put together from texts and secrets.

extension SecretBytes {
    /// Texts and secrets, one after the other; empty if a secret was erased.
    package static func joining(_ pieces: [Piece]) -> SecretBytes {
        let count = pieces.reduce(0) { $0 + $1.count }
        var isWhole = true
        let joined = SecretBytes(count: count) { room in
            var at = 0
            for piece in pieces {
                let copied = piece.withBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: room[at...]).copyMemory(from: bytes)
                    return bytes.count
                }
                if copied != piece.count { isWhole = false }
                at += piece.count
            }
        }
        return isWhole ? joined : SecretBytes(count: 0)
    }

    package enum Piece: Sendable {
        case text(String)
        case secret(SecretBytes)

        fileprivate var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .secret(let secret): secret.count
            }
        }

        fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            switch self {
            case .text(let text): Array(text.utf8).withUnsafeBytes(body)
            case .secret(let secret): secret.withBytes(body)
            }
        }
    }
}
