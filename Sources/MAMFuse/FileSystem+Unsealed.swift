// Plain files that name an account: which of them the daemon made, and what may be done with the
// others.

internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMVault

extension FileSystem {
    /// The attribute with the mark of one that was decrypted in place. Not to be seen in the mount,
    /// nor set.
    private static let markName = "user.mam.plain"

    /// True for one that may have been put there.
    func isUnproved(_ inode: Inode, _ header: FileHeader?) -> Bool {
        guard let header, vault.isUnsealed(header) else { return false }
        return !hasMark(inode, header)
    }

    func hasMark(_ inode: Inode, _ header: FileHeader) -> Bool {
        var mark = [UInt8](repeating: 0, count: Marks.byteCount)
        do throws(Errno) {
            var span = mark.mutableSpan
            let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
                try withProcPath(of: inode.handle.raw) { path throws(Errno) in
                    try MAMSystem.extendedAttribute(path, Self.markName, into: buffer)
                }
            }
            guard count == Marks.byteCount else { return false }
            return vault.isUnsealedMark(mark, of: header, at: try MarkedPlace(inode.handle))
        } catch { return false }
    }

    /// Its content may be anybody's: it is shown, and that is told. What is written to it would be
    /// plain, and of an account whose files are sealed: that is refused.
    func checkUnsealed(
        _ inode: Inode, _ header: FileHeader?, writes: Bool
    ) throws(VaultError) {
        guard let header, isUnproved(inode, header) else { return }
        let reason = vault.reasonAgainstWriting(to: header)
        if writes { throw .refused(reason) }
        vault.auditForgery(reason, of: inode.node, at: relativePath(of: inode))
    }

    /// Says of a copy that is about to be put in place that the daemon made it plain; takes away
    /// what the attributes of the file before said of that one.
    func setMark(of copy: Descriptor, _ header: FileHeader?) throws(Errno) {
        try withProcPath(of: copy.raw) { path throws(Errno) in
            guard let header, vault.isUnsealed(header),
                let mark = vault.unsealedMark(of: header, at: try MarkedPlace(copy))
            else {
                do throws(Errno) {
                    try MAMSystem.removeExtendedAttribute(path, Self.markName)
                } catch {
                    guard error == .noData || error == .notSupported else { throw error }
                }
                return
            }
            do throws(Errno) {
                try mark.span.withUnsafeBytes { bytes throws(Errno) in
                    try MAMSystem.setExtendedAttribute(path, Self.markName, to: bytes)
                }
            } catch {
                // Where there are no attributes the file can be read, and protected again.
                guard error == .notSupported else { throw error }
            }
        }
    }

    /// The backing file as it is now, to be used by an inode that is not in use.
    ///
    /// A file that was sealed when it became known does not become plain but by the daemon:
    /// somebody else has written it.
    func takeIntoUse(
        _ descriptor: Descriptor, _ state: borrowing Inode.State
    ) throws(VaultError) -> VaultFile {
        let file = try vault.file(descriptor)
        if state.facts?.header?.isManaged == true, file.header?.isManaged != true {
            throw .store(.unsealed)
        }
        return file
    }

    func checkSeal(of item: VerifyItem, _ header: FileHeader?) -> Finding? {
        guard let header, isUnproved(item.inode, header) else { return nil }
        let reason = "it is plain although files of \(header.owner) are sealed here"
        return Finding(item.path, .unsealed, reason, .left("mamctl protect seals it"))
    }
}
