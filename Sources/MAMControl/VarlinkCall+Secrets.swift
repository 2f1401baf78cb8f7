// Passphrases in calls: through a descriptor, or in the JSON text.

internal import Glibc
internal import MAMCrypto
internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension VarlinkCall {
    /// Longer than any person's passphrase, and short enough to be read at once.
    private static let maximumSecretByteCount = 4096

    /// The passphrase in `name`, or behind `nameDescriptor`; nil if there is neither.
    ///
    /// Prefer the descriptor: the text of a frame passes through memory that cannot be zeroed.
    func secret(_ name: String) throws(VarlinkError) -> SecretBytes? {
        if let descriptor = try descriptor("\(name)Descriptor") {
            return try Self.read(descriptor, "\(name)Descriptor")
        }
        guard let text: String = try parameters.value(name) else { return nil }
        guard !text.isEmpty else { throw .invalidInput("the passphrase is empty") }
        var bytes = Array(text.utf8)
        let secret = bytes.withUnsafeMutableBytes { buffer in
            defer { buffer.initializeMemory(as: UInt8.self, repeating: 0) }
            return SecretBytes(copying: UnsafeRawBufferPointer(buffer))
        }
        return secret
    }

    /// The passphrase that opens an account. `isTyped`: a person has typed it, so recovery words
    /// that have a mistake cost no try. What only looks like them is taken otherwise.
    func openingSecret(isTyped: Bool?) throws(VarlinkError) -> SecretBytes? {
        let secret = try secret("passphrase")
        if isTyped == true, let mistake = secret.flatMap({ RecoveryWords.mistake(in: $0) }) {
            throw .invalidInput(mistake.message)
        }
        return secret
    }

    /// A passphrase to set; nil only if the caller sets the flag `noneName`.
    func newSecret(
        _ name: String, orNone noneName: String
    ) throws(VarlinkError) -> SecretBytes? {
        let secret = try secret(name)
        let none = try parameters.flag(noneName)
        guard (secret == nil) == none else {
            throw .invalidInput("give either a passphrase or \(noneName)")
        }
        return secret
    }

    /// Reads to the end of file and drops one trailing newline, with Windows' return before it.
    private static func read(
        _ descriptor: Descriptor, _ name: String
    ) throws(VarlinkError) -> SecretBytes {
        let room = SecretBytes(count: maximumSecretByteCount + 1)
        let count: Int
        do throws(Errno) {
            count = try room.withMutableBytes { buffer throws(Errno) in
                try readToEnd(descriptor, into: buffer)
            }
        } catch { throw .systemError(error, .verbatim(name)) }
        guard count <= maximumSecretByteCount else {
            throw .invalidInput("the passphrase is too long")
        }
        return try room.withBytes { bytes throws(VarlinkError) in
            var line = bytes[..<count]
            if line.last == UInt8(ascii: "\n") {
                line.removeLast()
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
            }
            guard !line.isEmpty else { throw .invalidInput("the passphrase is empty") }
            return SecretBytes(copying: .init(rebasing: line))
        }
    }

    /// A writer that never writes must not hold the connection's thread for ever.
    private static let patienceMilliseconds: Int32 = 30_000

    private static func readToEnd(
        _ descriptor: Descriptor, into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        var done = 0
        while done < buffer.count {
            var waiting = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
            guard try retrying({ poll(&waiting, 1, patienceMilliseconds) }) > 0 else {
                throw .timedOut
            }
            let count = try retrying {
                Glibc.read(
                    descriptor.raw, buffer.baseAddress.map { $0 + done }, buffer.count - done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }
}
