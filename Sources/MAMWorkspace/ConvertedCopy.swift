// The copy of a file for another owner, before it replaces the original.

internal import Glibc
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault

/// A copy in the work directory; removed unless it replaces the original.
final class ConvertedCopy {
    private let directory: Descriptor
    private let name: String
    let file: Descriptor
    private let source: Descriptor
    /// The names of the extended attributes copied so far.
    private var attributes: Set<ByteString> = []
    /// The old file's number, once the two have exchanged their names.
    private var exchanged: BackingID?

    /// Differs for each run of the daemon, because process ids are reused.
    private static let prefix = "convert-\(UInt64.random(in: .min ... .max))-"

    /// True for a copy that may be in progress.
    static func isOurs(_ name: ByteString) -> Bool { name.bytes.starts(with: prefix.utf8) }

    init(in directory: Descriptor, of inode: Inode) throws(Errno) {
        self.directory = directory
        let name = "\(Self.prefix)\(inode.node)"
        self.name = name
        file = try openFile(
            at: directory.raw, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
        source = try openBacking(inode.handle, O_RDONLY)
    }

    deinit { unlinkat(directory.raw, name, 0) }

    /// Copies the current mode, owner, times and extended attributes; may be repeated. Refuses a
    /// file with several links, because only one of them would get the copy, and one without.
    func takeAttributes(of inode: Inode) throws(VaultError) {
        let status = try systemCall { () throws(Errno) -> stat in
            try MAMSystem.status(at: inode.handle.raw, "")
        }
        guard status.st_nlink > 0 else { throw VaultError(.noEntry) }
        guard status.st_nlink == 1 else {
            throw .refused(
                "the file has \(status.st_nlink) names; only a file with one can be converted",
                next: wayToOtherNames)
        }
        try systemCall { () throws(Errno) in
            // First, because chown(2) removes capabilities.
            _ = try retrying { fchown(file.raw, status.st_uid, status.st_gid) }
            // Except the attribute that marks sealed files, which the copy has set for itself.
            attributes = try copyExtendedAttributes(
                from: source.raw, to: file.raw, removing: attributes,
                except: ByteString(cString: SealedNote.name.cString))
            _ = try retrying { fchmod(file.raw, status.st_mode & 0o7777) }
            let times = [status.st_atim, status.st_mtim]
            _ = try retrying { futimens(file.raw, times) }
        }
    }

    func synchronize() throws(Errno) { try MAMSystem.synchronize(file.raw) }

    /// Puts the copy under the name and makes the inode refer to the new file. Returns the
    /// directory to sync. The caller excludes renames.
    func putInPlace(
        of inode: Inode, at place: EntryLocation, in table: InodeTable
    ) throws(Errno) -> Descriptor {
        let (old, new) = (inode.backingID, BackingID(try status(of: file.raw)))
        guard BackingID(try status(at: place.directory.raw, place.name)) == old else {
            throw .staleHandle
        }
        // Everything that needs a descriptor comes first: after that nothing may fail.
        let (handle, first) = (try reopen(file.raw, openPathOnly), try inode.firstFile())
        let directory = try withOwnerRights(to: place.directory) { path throws(Errno) in
            try openFile(procPath: path, O_RDONLY | O_DIRECTORY)
        }
        // Beforehand, so that look-ups of the name find the same inode.
        table.add(new, of: inode)
        do throws(Errno) {
            if try takeName(at: place, in: directory) { exchanged = old }
        } catch {
            table.remove(new, of: inode)
            throw error
        }
        try inode.become(handle, new, first: first)
        table.remove(old, of: inode)
        return directory
    }

    /// Exchanges the two names; where the file system cannot, the old file loses its name in the
    /// same step, or in those of the program that is the file system (adr 82), and this returns
    /// false. The place's directory has the names that it had, and keeps its modification time.
    private func takeName(
        at place: EntryLocation, in parent: Descriptor
    ) throws(Errno) -> Bool {
        try Faults.check(.rename)
        let before = try status(of: parent.raw)
        let hasExchanged = try exchangeNames(
            at: directory.raw, name, and: place.directory.raw, place.name)
        if !hasExchanged {
            _ = try retrying { renameat(directory.raw, name, place.directory.raw, place.name) }
        }
        // Another user's directory refuses this.
        try? setModificationTime(of: parent.raw, to: before.st_mtim)
        return hasExchanged
    }

    /// Makes the new name durable; then frees the old file's space without waiting for the kernel
    /// to forget it. The step cannot be undone, so a failure is only logged.
    func synchronizePlace(_ conversion: Conversion, _ vault: Vault) {
        do throws(Errno) {
            // The copy's attributes, as of that step.
            try synchronize()
            try conversion.synchronizePlace()
            try emptyOld()
        } catch { FileAudit(vault).reportUnsynced(error) }
    }

    /// Only where it has a name of its own: a file system that opens files by their paths, such as
    /// 9p, would open the copy in place of a file that the copy has replaced, and empty that.
    private func emptyOld() throws(Errno) {
        guard let exchanged else { return }
        let old = try openBacking(source, O_WRONLY)
        guard exchanged.isStill(of: old) else { return }
        try setSize(old.raw, 0)
    }
}

/// A file's directory in the backing tree, and its name there.
struct EntryLocation {
    let directory: Descriptor
    let parentNode: UInt64
    let name: [CChar]
}

extension EntryLocation {
    init(_ found: WalkedEntry) {
        self.init(
            directory: found.parent.handle, parentNode: found.parent.node,
            name: found.name.cString)
    }
}
