// What a log may contain.

internal import MAMModel
internal import Synchronization

/// Shared by all copies of a log; may change at any time.
package final class LogRules: Sendable {
    private struct State: Sendable {
        var isVerbose = false
        var secrets: [[UInt8]] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// `scrubbed`: texts that the log replaces with `***`; empty ones are ignored.
    package func set(isVerbose: Bool, scrubbed: [String]) {
        // Longest first, so that replacing a substring of a secret does not leave the rest of it.
        let secrets = Set(scrubbed).map { Array($0.utf8) }.filter { !$0.isEmpty }
            .sorted { $0.count > $1.count }
        state.withLock { $0 = State(isVerbose: isVerbose, secrets: secrets) }
    }

    /// True if debug lines are written.
    package var isVerbose: Bool { state.withLock { $0.isVerbose } }

    /// A text with all secrets replaced, for logs and other records.
    package func scrub(_ message: String) -> String {
        let secrets = state.withLock { $0.secrets }
        guard !secrets.isEmpty else { return message }
        var text = Array(message.utf8)[...]
        for secret in secrets { text = Self.replace(secret, in: text) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func replace(_ secret: [UInt8], in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>
    {
        var result: [UInt8] = []
        var rest = text
        while let first = rest.first {
            if rest.starts(with: secret),
                isWhole(secret, from: result.last, to: rest.dropFirst(secret.count).first)
            {
                result += Array("***".utf8)
                rest = rest.dropFirst(secret.count)
            } else {
                result.append(first)
                rest.removeFirst()
            }
        }
        return result[...]
    }

    /// Replaces a short secret, such as `1` or `yes`, only as a whole word, so that the log stays
    /// readable.
    private static func isWhole(_ secret: [UInt8], from before: UInt8?, to after: UInt8?) -> Bool {
        secret.count >= 4 || !(isOfWord(before) || isOfWord(after))
    }

    private static func isOfWord(_ byte: UInt8?) -> Bool {
        guard let byte else { return false }
        return byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
