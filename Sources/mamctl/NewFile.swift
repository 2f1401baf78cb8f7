// A file that appears under its name whole, or not at all.

internal import CShims
internal import Glibc
internal import MAMSystem
internal import MAMWire

/// A file under construction, in the directory of its destination. It has no name, where the file
/// system can do that; elsewhere one that goes with this object, or with the signal that ends the
/// program.
final class NewFile {
    let path: ByteString
    let descriptor: Descriptor
    private let directory: Descriptor
    private let temporary: ByteString
    private let replacing: Bool
    /// What may be replaced; nil if there is nothing.
    private let former: stat?
    private var hasName = false

    /// Refuses an existing destination unless `replacing`; `source` is the file that would be
    /// written to it, if it is one.
    init(
        for path: ByteString, from source: ByteString? = nil, replacing: Bool,
        insteadOfReplacing next: String = "add --force to replace it"
    ) throws(Failure) {
        self.path = path
        self.replacing = replacing
        if !replacing, access(path.cString, F_OK) == 0 {
            let left = source.map { "\($0.shown) is unchanged: " } ?? ""
            throw Failure(
                .failure, "\(left)\(path.shown) already exists", next: next)
        }
        former = try Self.replaceable(path)
        temporary = ByteString(
            Array(".".utf8) + path.lastComponent.bytes.prefix(200) + Array(".\(getpid()).new".utf8))
        (directory, descriptor, hasName) = try naming(path) {
            [temporary] () throws(Errno) -> (Descriptor, Descriptor, Bool) in
            let directory = try openFile(path.directory.cString, O_RDONLY | O_DIRECTORY)
            if let nameless = try? openFile(
                at: directory.raw, ".", O_RDWR | openTemporary, mode: 0o600)
            {
                return (directory, nameless, false)
            }
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            // Only a name that is ours by then goes with a signal.
            let named = try Unfinished.withoutSignals { () throws(Errno) in
                let named = try openFile(at: directory.raw, temporary.cString, flags, mode: 0o600)
                Unfinished.begin(temporary, in: directory)
                return named
            }
            return (directory, named, true)
        }
    }

    /// A device or a pipe is written to by its users, and would be gone.
    private static func replaceable(_ path: ByteString) throws(Failure) -> stat? {
        let found = try? status(at: workingDirectory, path.cString, followLinks: true)
        guard let found, found.st_mode & S_IFMT != S_IFREG else { return found }
        throw Failure(
            .failure, "\(path.shown) is not a regular file and was not replaced",
            next: "name a file, or write to standard output: -o -")
    }

    deinit {
        if hasName { unlinkat(directory.raw, temporary.cString, 0) }
        Unfinished.end()
    }

    /// The same for a file that only its owner may read.
    func finishPrivately() throws(Failure) {
        var attributes = stat()
        attributes.st_mode = 0o600
        try finish(like: attributes)
    }

    /// Gives the file its content's durability, its mode and its name. `original`: the file that it
    /// takes the place of, whose owner, access list and times it gets. `isStillRight`: asked when
    /// nothing is left to be done that takes long.
    func finish(
        like source: stat, inPlaceOf original: Descriptor? = nil,
        isStillRight: () throws(Failure) -> Void = {}
    ) throws(Failure) {
        let descriptor = descriptor
        try naming(path) { () throws(Errno) in
            let mode =
                if let original {
                    try takeRights(of: source, original, descriptor)
                } else {
                    source.st_mode & modeAllowed
                }
            let made = try status(of: descriptor.raw)
            let isSameOwner = made.st_uid == source.st_uid && made.st_gid == source.st_gid
            // Set-user-id bits go with their owner alone: what somebody else wrote is not to run
            // with our rights.
            let bits: mode_t = isSameOwner ? 0o7777 : 0o1777
            _ = try retrying { fchmod(descriptor.raw, mode & bits) }
            if original != nil { try keepTimes(of: source, descriptor) }
            try synchronize(descriptor.raw)
        }
        try isStillRight()
        try naming(path) { () throws(Errno) in
            try Unfinished.withoutSignals { () throws(Errno) in try takeName() }
            try synchronize(directory.raw)
        }
    }

    /// As with cp(1): a new file gets no more than the umask leaves, and one that is replaced gives
    /// nobody more than it did.
    private var modeAllowed: mode_t {
        if let former { return former.st_mode | ~0o777 }
        let mask = umask(0o077)
        umask(mask)
        return ~mask
    }

    private func takeName() throws(Errno) {
        let name = path.lastComponent
        if !hasName, !replacing { return try link(as: name) }
        if !hasName {
            try link(as: temporary)
            hasName = true
        }
        if replacing {
            _ = try retrying {
                renameat(directory.raw, temporary.cString, directory.raw, name.cString)
            }
        } else {
            try renameWithoutReplacing(to: name)
        }
        hasName = false
    }

    /// `EEXIST` if something has the name by now.
    private func renameWithoutReplacing(to name: ByteString) throws(Errno) {
        do throws(Errno) {
            let noReplace: UInt32 = 1  // RENAME_NOREPLACE
            _ = try retrying {
                mam_renameat2(
                    directory.raw, temporary.cString, directory.raw, name.cString, noReplace)
            }
        } catch {
            // vfat, NFS and others do not know that; of those, some have hard links.
            guard error == .invalid else { throw error }
            _ = try retrying {
                linkat(directory.raw, temporary.cString, directory.raw, name.cString, 0)
            }
            unlinkat(directory.raw, temporary.cString, 0)
        }
    }

    /// `EEXIST` if something has the name by now.
    private func link(as name: ByteString) throws(Errno) {
        try withProcPath(of: descriptor.raw) { path throws(Errno) in
            _ = try retrying {
                linkat(AT_FDCWD, path, directory.raw, name.cString, AT_SYMLINK_FOLLOW)
            }
        }
    }
}

/// Owner and access list; returns the mode that goes with them.
private func takeRights(
    of source: stat, _ original: Descriptor, _ file: Descriptor
) throws(Errno) -> mode_t {
    keepOwner(of: source, file)
    let isListKept = keepAccessList(of: original, file)
    let isGroupKept = try status(of: file.raw).st_gid == source.st_gid
    guard !isListKept || !isGroupKept else { return source.st_mode }
    // The group gets no more than others.
    return source.st_mode & (~0o070 | (source.st_mode & 0o007) << 3)
}

/// An owner that we may not give stays ours: the content is what matters, and it was readable to
/// us. The group may be the directory's.
private func keepOwner(of source: stat, _ file: Descriptor) {
    if fchown(file.raw, source.st_uid, source.st_gid) != 0 {
        _ = fchown(file.raw, uid_t.max, source.st_gid)
    }
}

/// What the directory gives to new files goes. False if the original has a list that cannot be
/// kept: its mode says then what all of that list may at most, and not what the group may.
private func keepAccessList(of original: Descriptor, _ file: Descriptor) -> Bool {
    let name = "system.posix_acl_access"
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { room.deallocate() }
    let count = try? withProcPath(of: original.raw) { path throws(Errno) in
        try extendedAttribute(path, name, into: room)
    }
    let isKept: Void? = try? withProcPath(of: file.raw) { path throws(Errno) in
        guard let count else {
            try? removeExtendedAttribute(path, name)
            return
        }
        try setExtendedAttribute(path, name, to: .init(rebasing: room[..<count]))
    }
    return isKept != nil
}

private func keepTimes(of source: stat, _ file: Descriptor) throws(Errno) {
    let times = [source.st_atim, source.st_mtim]
    _ = try retrying { futimens(file.raw, times) }
}
