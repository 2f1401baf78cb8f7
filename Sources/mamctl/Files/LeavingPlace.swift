// Where `leave` copies to: a directory of the caller's that nobody else can use meanwhile. A mark
// in it says that a copy is not complete, so that the same command may go on.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

final class LeavingPlace {
    let root: Descriptor
    let place: ByteString
    /// Locked against a second command.
    private let mark: Descriptor

    static let markName = ByteString(".mamctl-leave")
    /// Each file has this name until it is whole.
    static let temporaryName = ByteString(".mamctl-leave.new")

    init(_ path: ByteString, apartFrom source: LeftDirectory) throws(Failure) {
        let path = path.withoutTrailingSlashes
        root = try Self.open(path, apartFrom: source)
        try Self.refuseWorkspace(root, path)
        let root = root
        place = try naming(path, currentPath(of: root.raw))
        guard !place.isWithin(source.place), !source.place.isWithin(place) else {
            throw Self.isWithin(path, source)
        }
        try BackingPlace.refuse(root, for: path)
        let isOwn = try naming(path, status(of: root.raw).st_uid == geteuid())
        guard isOwn else {
            throw Failure(.failure, "\(path.shown) is another user's", next: Self.advice)
        }
        let hasMark = try Self.refuseOthersFiles(root, path)
        // Whatever this user's programs make by default: content may be for nobody else.
        try? changeMode(of: root, to: 0o700)
        try Self.refuseOthers(root, path)
        // Somebody may have been there before that.
        if !hasMark { _ = try Self.refuseOthersFiles(root, path) }
        mark = try Self.mark(root, path)
        unlinkat(root.raw, Self.temporaryName.cString, 0)
    }

    /// Everything is there: an ordinary directory from now on. `keepAttributes` is last, as with
    /// its mode it may be read-only; if it fails, the same command may go on.
    func finish(_ keepAttributes: () throws(Errno) -> Void) throws(Errno) {
        try synchronize(root.raw)
        try removeFile(in: root.raw, named: Self.markName.cString)
        do throws(Errno) { try keepAttributes() } catch {
            try? changeMode(of: root, to: 0o700)
            _ = try? openFile(
                at: root.raw, Self.markName.cString, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
            throw error
        }
    }

    private static let advice: Message = "name a directory that does not exist yet"

    /// Makes it if it is not there. Never follows a link.
    private static func open(
        _ path: ByteString, apartFrom source: LeftDirectory
    ) throws(Failure) -> Descriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        let parent = try openFile(path.directory, openPathOnly | O_DIRECTORY)
        let name = path.lastComponent.bytes.isEmpty ? ByteString(".") : path.lastComponent
        do throws(Errno) { return try openFile(at: parent.raw, name.cString, flags) } catch {
            guard error != .notDirectory, error != .tooManyLinks else {
                throw Failure(
                    .failure, "\(path.shown) is not a directory, or a symbolic link", next: advice)
            }
            guard error == .noEntry else { throw Failure(path, error) }
        }
        try refuseWorkspace(parent, path)
        let above = try naming(path, currentPath(of: parent.raw))
        guard !above.isWithin(source.place) else { throw isWithin(path, source) }
        try BackingPlace.refuse(parent, for: path)
        return try naming(path) { () throws(Errno) in
            _ = try retrying { mkdirat(parent.raw, name.cString, 0o700) }
            return try openFile(at: parent.raw, name.cString, flags)
        }
    }

    private static func refuseWorkspace(
        _ directory: Descriptor, _ path: ByteString
    ) throws(Failure) {
        guard let name = workspace(of: directory) else { return }
        throw Failure(
            .failure,
            "\(path.shown) would be in the mounted workspace '\(name)', which encrypts by itself",
            next: "name a directory outside")
    }

    private static func isWithin(_ path: ByteString, _ source: LeftDirectory) -> Failure {
        Failure(
            .failure, "one of \(source.path.shown) and \(path.shown) is within the other",
            next: "name a directory outside")
    }

    /// True if an earlier command left it unfinished.
    private static func refuseOthersFiles(
        _ root: Descriptor, _ path: ByteString
    ) throws(Failure) -> Bool {
        let names = try naming(path, entries(of: root.raw))
        let isMarked = names.contains(markName)
        guard isMarked || names.isEmpty else {
            throw Failure(.failure, "\(path.shown) is not empty", next: advice)
        }
        return isMarked
    }

    /// As on a file system without modes.
    private static func refuseOthers(_ root: Descriptor, _ path: ByteString) throws(Failure) {
        let mode = try naming(path, status(of: root.raw).st_mode)
        guard mode & 0o022 == 0 else {
            throw Failure(
                .failure, "\(path.shown): other users can write there", next: advice)
        }
    }

    private static func mark(_ root: Descriptor, _ path: ByteString) throws(Failure) -> Descriptor {
        let place = path.appending(markName)
        let mark = try naming(place) { () throws(Errno) in
            try openFile(
                at: root.raw, markName.cString, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
                mode: 0o600)
        }
        let found = try naming(place, status(of: mark.raw))
        // Another user may have put it there while he could.
        guard found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid(), found.st_nlink == 1
        else { throw Failure(.failure, "\(place.shown) is not of this command", next: advice) }
        guard flock(mark.raw, LOCK_EX | LOCK_NB) == 0 else {
            throw Failure(
                .failure, "another mamctl leave writes to \(path.shown)",
                next: "wait for it to end")
        }
        return mark
    }
}

/// An unfinished file with a temporary name, in the place that a copy is made to.
final class LeavingFile {
    let descriptor: Descriptor
    private let root: Descriptor
    private var hasName = true

    init(in place: LeavingPlace) throws(Errno) {
        root = place.root
        let root = root
        descriptor = try Unfinished.withoutSignals { () throws(Errno) in
            let name = LeavingPlace.temporaryName
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            let made = try openFile(at: root.raw, name.cString, flags, mode: 0o600)
            Unfinished.begin(name, in: root)
            return made
        }
    }

    deinit {
        if hasName { unlinkat(root.raw, LeavingPlace.temporaryName.cString, 0) }
        Unfinished.end()
    }

    /// Whole, and on the disk; `EEXIST` if something has the name. `isStillRight`: called last,
    /// after everything slow.
    func take(
        _ name: ByteString, in directory: Descriptor, isStillRight: () throws -> Void
    ) throws {
        try synchronize(descriptor.raw)
        try isStillRight()
        try Unfinished.withoutSignals { () throws(Errno) in
            try renameWithoutReplacing(
                LeavingPlace.temporaryName, in: root, to: name, in: directory)
            hasName = false
        }
    }
}

/// A directory of the copy that `leave` makes, and the copies in it.
struct LeavingDirectory {
    let descriptor: Descriptor
    /// Exactly as an earlier run gave them.
    private let earlier: Set<ByteString>
    private let reserved: Set<ByteString>

    init(_ descriptor: Descriptor, isTop: Bool = false) throws(Errno) {
        self.descriptor = descriptor
        earlier = Set(try entries(of: descriptor.raw))
        reserved = isTop ? [LeavingPlace.markName, LeavingPlace.temporaryName] : []
    }

    /// What is found under a name that no run gave is another file's copy: for vfat `a` is `A`.
    func refuseTaken(_ name: ByteString, of path: ByteString) throws(Failure) {
        guard reserved.contains(name) || !earlier.contains(name) && found(name) != nil else {
            return
        }
        throw Failure(
            .failure,
            "\(path.shown): another file has its name in the copy, where two names may be one",
            next: "give it another name, or copy to another file system")
    }

    func found(_ name: ByteString) -> stat? { try? status(at: descriptor.raw, name.cString) }

    /// The copy that an earlier run made; never a link's target.
    func openCopy(_ name: ByteString) throws(Errno) -> Descriptor {
        try openFile(
            at: descriptor.raw, name.cString, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    }
}

/// Of an `O_PATH` descriptor of the link itself.
func linkTarget(at link: Descriptor) throws(Errno) -> ByteString {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try retrying { readlinkat(link.raw, "", &buffer, buffer.count) }
    return ByteString(buffer.prefix(count).map { UInt8(bitPattern: $0) })
}

/// Whether two open files have the same content.
func haveSameContent(_ one: Descriptor, _ other: Descriptor) throws(Errno) -> Bool {
    let size = try status(of: one.raw).st_size
    guard try status(of: other.raw).st_size == size else { return false }
    let half = 1 << 20
    let room = UnsafeMutableRawPointer.allocate(byteCount: 2 * half, alignment: 4096)
    defer { room.deallocate() }
    let mine = UnsafeMutableRawBufferPointer(start: room, count: half)
    let theirs = UnsafeMutableRawBufferPointer(start: room + half, count: half)
    var offset: Int64 = 0
    while offset < size {
        let count = try readFully(one.raw, into: mine, at: offset)
        guard count > 0, try readFully(other.raw, into: theirs, at: offset) == count,
            memcmp(room, room + half, count) == 0
        else { return false }
        offset += Int64(count)
    }
    return true
}
