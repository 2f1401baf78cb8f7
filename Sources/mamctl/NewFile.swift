// A file that appears under its name whole, or not at all.

internal import Glibc
internal import MAMSystem
internal import MAMWire

/// A file under construction beside its destination.
final class NewFile {
    let path: ByteString
    let descriptor: Descriptor
    private let directory: Descriptor
    private let temporary: ByteString
    private var isDone = false

    /// Refuses an existing destination unless `replacing`; `source` is the file that would be written to it, if it is one.
    init(for path: ByteString, from source: ByteString? = nil, replacing: Bool) throws(Failure) {
        self.path = path
        if !replacing, access(path.cString, F_OK) == 0 {
            let left = source.map { "\($0.shown) is left as it is: " } ?? ""
            throw Failure(
                .failure, "\(left)\(path.shown) exists already",
                next: "add --force to replace it")
        }
        temporary = ByteString(
            Array(".".utf8) + path.lastComponent.bytes.prefix(200) + Array(".\(getpid()).new".utf8))
        (directory, descriptor) = try naming(path) {
            [name = temporary.cString] () throws(Errno) -> (Descriptor, Descriptor) in
            let directory = try openFile(path.directory.cString, O_RDONLY | O_DIRECTORY)
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            return (
                directory,
                try openFile(at: directory.raw, name, flags, mode: 0o600)
            )
        }
    }

    deinit {
        if !isDone { unlinkat(directory.raw, temporary.cString, 0) }
    }

    /// The same for a file that only its owner may read.
    func finishPrivately() throws(Failure) {
        var attributes = stat()
        attributes.st_mode = 0o600
        try finish(like: attributes, keepingOwnerAndTimes: false)
    }

    /// Gives the file its content's durability, its mode and its name.
    func finish(like source: stat, keepingOwnerAndTimes: Bool) throws(Failure) {
        let (directory, descriptor, temporary) = (directory, descriptor, temporary)
        try naming(path) { [path] () throws(Errno) in
            if keepingOwnerAndTimes { try keepOwnerAndTimes(of: source, descriptor) }
            _ = try retrying { fchmod(descriptor.raw, source.st_mode & 0o7777) }
            try synchronize(descriptor.raw)
            _ = try retrying {
                renameat(
                    directory.raw, temporary.cString, directory.raw, path.lastComponent.cString)
            }
            try synchronize(directory.raw)
        }
        isDone = true
    }
}

/// An owner that we may not give stays ours: the content is what matters, and it was readable to us.
private func keepOwnerAndTimes(of source: stat, _ descriptor: Descriptor) throws(Errno) {
    if source.st_uid != geteuid() || source.st_gid != getegid() {
        _ = fchown(descriptor.raw, source.st_uid, source.st_gid)
    }
    let times = [source.st_atim, source.st_mtim]
    _ = try retrying { futimens(descriptor.raw, times) }
}
