// Atomic creation and replacement of a file.

internal import CShims
internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// An unfinished file in the directory of its destination. It has no name (O_TMPFILE) if the file
/// system supports that; else a temporary one, which deinit or a terminating signal removes.
final class NewFile {
    let path: ByteString
    let descriptor: Descriptor
    private let directory: Descriptor
    private let temporary: ByteString
    private let replacing: Bool
    /// The file to replace; nil if there is none.
    private let former: stat?
    private var hasName = false

    /// Refuses an existing destination unless `replacing`; `source` is the file that would be
    /// written to it, if it is one.
    init(
        for path: ByteString, from source: ByteString? = nil, replacing: Bool,
        insteadOfReplacing next: Message = "add --force to replace it"
    ) throws(Failure) {
        self.path = path
        self.replacing = replacing
        let directory = try naming(path, openFile(path.directory.cString, O_RDONLY | O_DIRECTORY))
        self.directory = directory
        try BackingPlace.refuse(directory, for: path)
        if !replacing, access(path.cString, F_OK) == 0 {
            throw Failure(
                .failure,
                source.map { "\($0.shown) is unchanged: \(path.shown) already exists" }
                    ?? "\(path.shown) already exists", next: next)
        }
        former = try Self.replaceable(path)
        temporary = ByteString(
            Array(".".utf8) + path.lastComponent.bytes.prefix(200) + Array(".\(getpid()).new".utf8))
        (descriptor, hasName) = try naming(path) {
            [temporary] () throws(Errno) -> (Descriptor, Bool) in
            if let nameless = try? openFile(
                at: directory.raw, ".", O_RDWR | openTemporary, mode: 0o600)
            {
                return (nameless, false)
            }
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            // The signal handlers must know only names that we have created: block signals until it
            // is one.
            let named = try Unfinished.withoutSignals { () throws(Errno) in
                let named = try openFile(at: directory.raw, temporary.cString, flags, mode: 0o600)
                Unfinished.begin(temporary, in: directory)
                return named
            }
            return (named, true)
        }
    }

    /// The existing file, if any. Refuses to replace anything but a regular file, such as a device
    /// or pipe.
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

    func write(_ bytes: [UInt8]) throws(Failure) {
        try naming(path, writeAll(bytes, to: descriptor.raw))
    }

    func finish(mode: mode_t) throws(Failure) {
        var attributes = stat()
        attributes.st_mode = mode
        try finish(like: attributes)
    }

    /// Sets the mode, syncs the file and gives it its name. `original`: the file to replace, whose
    /// owner, ACL and times it gets. `isStillRight`: called last before the rename, after
    /// everything slow.
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
            try setMode(mode, of: descriptor, madeFrom: source)
            if original != nil { try keepTimes(of: source, descriptor) }
            try synchronize(descriptor.raw)
        }
        try isStillRight()
        try naming(path, Unfinished.withoutSignals { () throws(Errno) in try takeName() })
        do throws(Errno) { try synchronize(directory.raw) } catch {
            throw Failure(
                .failure,
                "\(path.shown) is written, but may not survive a power cut: \(error)",
                next: "check the disk: see dmesg")
        }
    }

    /// As with cp(1), a new file gets at most what the umask leaves, and a replaced file's
    /// permissions do not grow.
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
            try renameWithoutReplacing(temporary, in: directory, to: name, in: directory)
        }
        hasName = false
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

/// `EEXIST` if something has the name by now.
func renameWithoutReplacing(
    _ old: ByteString, in source: Descriptor, to new: ByteString, in target: Descriptor
) throws(Errno) {
    do throws(Errno) {
        let noReplace: UInt32 = 1  // RENAME_NOREPLACE
        _ = try retrying {
            mam_renameat2(source.raw, old.cString, target.raw, new.cString, noReplace)
        }
    } catch {
        // vfat, NFS and others lack RENAME_NOREPLACE; some of them have hard links.
        guard error == .invalid else { throw error }
        do throws(Errno) {
            _ = try retrying { linkat(source.raw, old.cString, target.raw, new.cString, 0) }
            unlinkat(source.raw, old.cString, 0)
        } catch {
            guard [.notImplemented, .notPermitted, .notSupported].contains(error) else {
                throw error
            }
            // With neither, a look has to do.
            if (try? status(at: target.raw, new.cString)) != nil { throw .exists }
            _ = try retrying { renameat(source.raw, old.cString, target.raw, new.cString) }
        }
    }
}
