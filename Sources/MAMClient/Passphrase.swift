// Passphrases. This library never holds one: it hands a descriptor on.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// Where the daemon reads a passphrase.
public enum Passphrase: Sendable, Hashable {
    /// A pipe, file or memfd, which the daemon reads to its end; one trailing newline is dropped.
    /// It stays the caller's to close.
    case descriptor(Int32)
    /// The account has none: this device alone protects its keys.
    case none
}

extension Passphrase {
    /// Members of a call, and the descriptors that they name.
    typealias Secret = (parameters: [String: JSONValue], descriptors: [Descriptor])

    func forRegistering() throws(MAMError) -> Secret {
        let secret = try forUnlocking()
        return secret.descriptors.isEmpty ? (["noPassphrase": true], []) : secret
    }

    func forUnlocking() throws(MAMError) -> Secret {
        guard case .descriptor(let number) = self else { return ([:], []) }
        let file = try FileReference.descriptor(number).open(O_RDONLY)
        return (["passphraseDescriptor": 0], [file])
    }
}
