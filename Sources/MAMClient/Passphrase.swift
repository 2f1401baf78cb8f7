// Passphrases. This library never reads one: it passes a descriptor on.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// Where the daemon reads a passphrase.
public enum Passphrase: Sendable, Hashable {
    /// A pipe, file or memfd, which the daemon reads to its end; it drops one trailing newline. The
    /// caller closes it.
    case descriptor(Int32)
    /// The account has none: this device alone protects its keys.
    case none
}

extension Passphrase {
    /// A call's members, and the descriptors that they refer to.
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
