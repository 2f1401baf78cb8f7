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
    /// Its index among the descriptors of a call, and these; nil for none.
    typealias Secret = (index: Int?, descriptors: [Descriptor])

    func secret() throws(MAMError) -> Secret {
        guard case .descriptor(let number) = self else { return (nil, []) }
        return (0, [try FileReference.descriptor(number).open(O_RDONLY)])
    }
}
