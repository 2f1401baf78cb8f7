// Ties keybags to this device: 32 random bytes in the state directory, or a systemd credential.

internal import Glibc
package import MAMCrypto
package import MAMModel
internal import MAMSystem

/// Why the device secret cannot be used; each message includes the next step.
package enum DeviceSecretError: Error, Equatable, Sendable {
    /// It is missing, but there are keybags that need it.
    case missing
    case wrongByteCount(Int64)
    /// Its mode gives access to its group or others; the lower 9 bits.
    case readableByOthers(mode: UInt32)
    case system(Errno)
    /// The service's credential cannot be used.
    indirect case badCredential(DeviceSecretError)
    /// There is a credential, and a different secret in the state directory.
    case credentialDiffers
}

extension DeviceSecretError: Worded {
    package var description: String { message.english }

    package var message: Message {
        text(about: "the file \(DeviceSecret.fileName) in the state directory")
    }

    private func text(about file: Message) -> Message {
        switch self {
        case .missing:
            "\(file) is missing, and the keybags there cannot be opened without it: restore it from"
                + " a backup; or, "
                + "if a credential of a unit has it, let that start mamd: systemctl start mamd@NAME"
        case .wrongByteCount(let count):
            "\(file) has \(count) bytes and not \(DeviceSecret.byteCount): restore it from a backup"
        case .readableByOthers(let mode):
            "\(file) has mode 0\(String(mode, radix: 8)), so that others may have read it: "
                + "if they cannot have, run chmod 600 on it"
        case .system(let error): "\(file) cannot be used: \(error)"
        case .badCredential(let error):
            error.text(about: "the credential \(DeviceSecret.fileName)")
        case .credentialDiffers:
            "\(file) is not what the credential \(DeviceSecret.fileName) is, and keybags need the"
                + " one that they were "
                + "made with: move the other away; see mamd(8), CREDENTIALS"
        }
    }
}

/// `device-secret`: see docs/FORMAT.md, section 2.
package enum DeviceSecret {
    package static let fileName = "device-secret"
    package static let byteCount = 32

    /// The credential that systemd gave this process; nil if there is none.
    package static func credential() throws(DeviceSecretError) -> SecretBytes? {
        guard let path = getenv("CREDENTIALS_DIRECTORY") else { return nil }
        do throws(DeviceSecretError) {
            let directory: Descriptor
            do throws(Errno) { directory = try openFile(path, O_RDONLY | O_DIRECTORY) } catch {
                throw .system(error)
            }
            return try withExtendedLifetime(directory) { () throws(DeviceSecretError) in
                try read(in: directory.raw)
            }
        } catch { throw .badCredential(error) }
    }

    /// Reads the secret, or creates it at the first start unless `mayCreate` is false: a new secret
    /// opens no existing keybag. A credential replaces the file, and is never written anywhere.
    package static func load(
        in directory: Int32, mayCreate: Bool, credential: SecretBytes? = nil
    ) throws(DeviceSecretError) -> SecretBytes {
        let stored = try read(in: directory)
        if let credential {
            guard stored?.equals(credential) ?? true else { throw .credentialDiffers }
            return credential
        }
        if let stored { return stored }
        guard mayCreate else { throw .missing }
        do throws(Errno) {
            try create(in: directory)
        } catch { throw .system(error) }
        // Another process may have created it first.
        guard let secret = try read(in: directory) else { throw .system(.noEntry) }
        return secret
    }

    /// Nil if it does not exist.
    private static func read(in directory: Int32) throws(DeviceSecretError) -> SecretBytes? {
        let file: Descriptor
        let facts: stat
        do throws(Errno) {
            (file, facts) = try openStateFile(in: directory, fileName)
        } catch {
            if error == .noEntry { return nil }
            throw .system(error)
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw .readableByOthers(mode: UInt32(facts.st_mode & 0o777))
        }
        guard facts.st_size == byteCount else { throw .wrongByteCount(Int64(facts.st_size)) }
        return try SecretBytes(count: byteCount) { bytes throws(DeviceSecretError) in
            let count: Int
            do throws(Errno) {
                count = try readFully(file.raw, into: bytes, at: 0)
            } catch { throw .system(error) }
            guard count == byteCount else { throw .wrongByteCount(Int64(count)) }
        }
    }

    /// Fails rather than replace an existing secret: if another process was first, its secret
    /// counts.
    private static func create(in directory: Int32) throws(Errno) {
        let secret = SecretBytes.random(count: byteCount)
        do throws(Errno) {
            try secret.withBytes { bytes throws(Errno) in
                try createFile(in: directory, named: fileName, with: bytes)
            }
        } catch {
            guard error == .exists else { throw error }
        }
    }
}

extension Keyring {
    /// One per workspace, derived from the device secret, so that access to the backing directory
    /// does not suffice to forge a mark.
    ///
    /// Nil if the derivation fails; then no mark is recognised.
    package func markingKey(of workspace: Bytes16) -> SecretBytes? {
        try? Derivation.hkdf(input: deviceSecret, salt: workspace, info: "mamd marks v1")
    }

    /// The seed of an Ed25519 key, another one for each organisation. It comes from the device
    /// secret, and so is bound to the TPM where that is: docs/FORMAT.md, section 2.
    package func machineSeed(for organization: Bytes16) throws(KeyringError) -> SecretBytes {
        do throws(DerivationError) {
            return try Derivation.hkdf(
                input: deviceSecret, salt: organization, info: "mamd machine key v1")
        } catch { throw .derivation(error) }
    }
}
