// Data of either form from a descriptor.

internal import Glibc
package import MAMFormat
internal import MAMModel
package import MAMStore
package import MAMSystem
package import MAMVault

extension Converter {
    /// From a descriptor: data in the file form is read at any offset.
    package func unprotectData(
        of source: Descriptor, _ ends: any StreamEnds, passesPlain: Bool,
        authorize: (FileHeader) throws(VaultError) -> Void
    ) throws(VaultError) -> UnprotectedData {
        guard isFileForm(source) else {
            return try DataStreams(vault).unprotectData(
                ends, passesPlain: passesPlain, authorize: authorize)
        }
        let count = try decrypt(source, into: .stream(ends), authorize: authorize)
        return UnprotectedData(byteCount: count, wasProtected: true)
    }

    /// Only at the start, because a stream is read from its start.
    private func isFileForm(_ source: Descriptor) -> Bool {
        withExtendedLifetime(source) {
            guard let found = try? status(of: source.raw), found.st_mode & S_IFMT == S_IFREG,
                lseek(source.raw, 0, SEEK_CUR) == 0,
                let facts = try? FileFacts(of: source, physicalSize: Int64(found.st_size))
            else { return false }
            return facts.header != nil
        }
    }
}
