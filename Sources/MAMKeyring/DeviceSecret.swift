// What ties keybags to this device: 32 random bytes in the state directory, or a credential of the
// service's.

internal import Glibc
package import MAMCrypto
package import MAMSystem

/// Why the device secret cannot be used; each text says what to do.
package enum DeviceSecretError: Error, Equatable, Sendable {
    /// It is gone while keybags that need it are here.
    case missing
    case wrongByteCount(Int64)
    /// Its group or others may use it; the mode's lower 9 bits.
    case readableByOthers(mode: UInt32)
    case system(Errno)
    /// The service's credential cannot be used.
    indirect case badCredential(DeviceSecretError)
    /// There is a credential, and another secret in the state directory.
    case credentialDiffers
}

extension DeviceSecretError: CustomStringConvertible {
    package var description: String {
        text(about: "the file \(DeviceSecret.fileName) in the state directory")
    }

    private func text(about file: String) -> String {
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

    /// The one that the service manager gave this process; nil if it gave none.
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

    /// Reads it. Makes it at the first start, unless `mayCreate` is false: a new secret opens no
    /// old keybag. A credential counts instead, and is never written anywhere.
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
        // What is there now, in case another process was faster.
        guard let secret = try read(in: directory) else { throw .system(.noEntry) }
        return secret
    }

    /// Nil if there is none.
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

    /// Fails rather than replace one that is there: another process was faster, and its secret
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
