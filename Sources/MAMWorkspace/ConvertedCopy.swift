// A file written anew for another owner, beside the one that it replaces.

internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault

/// A copy in the workspace's work directory; removed if it is not put in place.
final class ConvertedCopy {
    private let directory: Descriptor
    private let name: String
    let file: Descriptor
    private let source: Descriptor
    /// Names of extended attributes that it was given.
    private var attributes: Set<ByteString> = []

    /// Another for each life of the daemon: process ids come again.
    private static let prefix = "convert-\(UInt64.random(in: .min ... .max))-"

    /// True for a file that may be in the making.
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

    /// Copies mode, owner, times and extended attributes, as they are now; may be asked again. A
    /// file with several names is refused: only one of them could be given the copy.
    func takeAttributes(of inode: Inode) throws(VaultError) {
        let status = try systemCall { () throws(Errno) -> stat in
            try MAMSystem.status(at: inode.handle.raw, "")
        }
        guard status.st_nlink == 1 else {
            throw .refused(
                "the file has \(status.st_nlink) names; only a file with one can be converted; "
                    + "run: find MOUNTPOINT -samefile FILE, and leave one of them")
        }
        try systemCall { () throws(Errno) in
            // Another owner takes capabilities away, so it comes first.
            _ = try retrying { fchown(file.raw, status.st_uid, status.st_gid) }
            // The copy says by itself whether it is sealed.
            attributes = try copyExtendedAttributes(
                from: source.raw, to: file.raw, removing: attributes,
                except: ByteString(SealedNote.name))
            _ = try retrying { fchmod(file.raw, status.st_mode & 0o7777) }
            let times = [status.st_atim, status.st_mtim]
            _ = try retrying { futimens(file.raw, times) }
        }
    }

    func synchronize() throws(Errno) { try MAMSystem.synchronize(file.raw) }

    /// Exchanges the two names, and makes the inode the new file. Returns the directory in which
    /// that is to be made durable. The caller sees to it that no name changes meanwhile.
    func putInPlace(
        of inode: Inode, at place: EntryLocation, in table: InodeTable
    ) throws(Errno) -> Descriptor {
        let (old, new) = (inode.backingID, BackingID(try status(of: file.raw)))
        guard BackingID(try status(at: place.directory.raw, place.name)) == old else {
            throw .staleHandle
        }
        // All that may want a descriptor comes first: once the names are exchanged nothing may
        // fail.
        let (handle, first) = (try reopen(file.raw, openPathOnly), try inode.firstFile())
        let directory = try withOwnerRights(to: place.directory) { path throws(Errno) in
            try openFile(procPath: path, O_RDONLY | O_DIRECTORY)
        }
        // Before the exchange: later look-ups of the name must find the same inode.
        table.add(new, of: inode)
        do throws(Errno) {
            try exchange(with: place)
        } catch {
            table.remove(new, of: inode)
            throw error
        }
        try inode.become(handle, new, first: first)
        table.remove(old, of: inode)
        return directory
    }

    private func exchange(with place: EntryLocation) throws(Errno) {
        try Faults.check(.rename)
        let exchange: UInt32 = 2  // RENAME_EXCHANGE
        _ = try retrying {
            mam_renameat2(directory.raw, name, place.directory.raw, place.name, exchange)
        }
    }

    /// Makes the exchange durable; then what was there before need not take room until the kernel
    /// forgets it. The exchange is done already: a failure is logged.
    func synchronizePlace(_ conversion: Conversion, _ vault: Vault) {
        do throws(Errno) {
            // Its attributes, as they were in the moment of the exchange.
            try synchronize()
            try conversion.synchronizePlace()
            let old = try openFile(at: directory.raw, name, O_WRONLY | O_NOFOLLOW)
            try withExtendedLifetime(old) { () throws(Errno) in try setSize(old.raw, 0) }
        } catch { FileAudit(vault).reportUnsynced(error) }
    }
}
