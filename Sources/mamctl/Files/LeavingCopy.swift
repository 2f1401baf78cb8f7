// The walk of `leave`: by descriptors, name by name, so that nobody who can rename something in the
// tree leads it elsewhere.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

final class LeavingCopy {
    private let invocation: Invocation
    private let source: LeftDirectory
    private let destination: LeavingPlace
    private let progress = ConversionProgress()
    private var files = 0
    private var bytes = 0
    /// What an earlier run has copied.
    private var present = 0
    private let leftOut: LeftOut
    private var unkept: UnkeptTally
    private var daemon: Result<Daemon, Failure>?
    private var roots: [stat] = []
    private var depth = 0
    /// Each directory takes some of the stack.
    private static let deepest = 500
    /// The destination's disk is full or gone, and every other file would fail as well.
    private var isFull = false

    init(_ invocation: Invocation, of source: LeftDirectory, into destination: LeavingPlace) {
        (self.invocation, self.source, self.destination) = (invocation, source, destination)
        leftOut = LeftOut(namesEach: invocation.arguments.has("verbose"))
        unkept = UnkeptTally(namesEach: invocation.arguments.has("verbose"))
    }

    var exitStatus: ExitStatus { leftOut.status }

    func run() throws(Failure) {
        source.synchronize()
        defer { progress.clear() }
        let top = try naming(source.path, status(of: source.root.raw))
        let end = try naming(source.path, status(of: destination.root.raw))
        roots = [top, end]
        let copy = try naming(destination.place, LeavingDirectory(destination.root, isTop: true))
        copyEntries(of: source.root, at: source.path, into: copy)
        guard leftOut.isEmpty else { return }
        try naming(destination.place) { () throws(Errno) in
            try destination.finish { () throws(Errno) in
                try keepAttributes(of: top, source.root, on: destination.root)
            }
        }
        noteUnkept(of: top, source.root, at: source.path, on: destination.root)
    }

    /// Lines for people.
    var summary: [Message] {
        let place = destination.place
        var lines: [Message] = [
            "\(files.counted("file")), \(bytes.asBytes), copied to \(place.shown)"
        ]
        if present > 0 { lines.append("copied before: \(present.counted("file"))") }
        let mark = place.appending(LeavingPlace.markName)
        return lines + unkept.summary + leftOut.summary(mark, hasMore: unkept.hasUntold)
    }

    var json: JSONValue {
        let (left, holders) = leftOut.json
        return [
            "directory": .string(source.place.wireText),
            "destination": .string(destination.place.wireText),
            "files": JSONValue(files), "bytes": JSONValue(bytes), "present": JSONValue(present),
            "left": left, "holders": holders, "unkept": unkept.json,
        ]
    }

    private func copyEntries(
        of from: Descriptor, at path: ByteString, into to: LeavingDirectory
    ) {
        var names: [ByteString] = []
        attempt(path) { () throws(Errno) in
            names = try entries(of: from.raw)
                .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
        for name in names where !isFull && !(isTop(from) && name == ByteString(".mamd")) {
            attempt(path.appending(name)) {
                try copy(name, at: path.appending(name), from: from, into: to)
            }
        }
    }

    private func isTop(_ directory: Descriptor) -> Bool { directory === source.root }

    /// Names what failed, and goes on.
    private func attempt(_ path: ByteString, _ body: () throws -> Void) {
        do { try body() } catch {
            progress.clear()
            let cause = leftOut.add(error, at: path).cause
            isFull = isFull || [.noSpace, .quotaExceeded, .readOnly].contains(cause)
        }
    }

    private func copy(
        _ name: ByteString, at path: ByteString, from: Descriptor, into to: LeavingDirectory
    ) throws {
        // Opens nothing yet, be it a pipe or a device, and stays this file whatever the name is.
        let found = try openFile(at: from.raw, name.cString, openPathOnly | O_NOFOLLOW)
        let status = try MAMSystem.status(of: found.raw)
        try to.refuseTaken(name, of: path)
        switch status.st_mode & S_IFMT {
        case S_IFDIR: try copyDirectory(found, status, name, at: path, into: to)
        case S_IFREG: try copyFile(found, status, name, at: path, into: to)
        case S_IFLNK: try copyLink(found, status, name, at: path, into: to)
        default:
            throw Failure(
                .failure, "\(path.shown): a pipe, a socket or a device has no content to copy",
                next: "remove it if it is of no use")
        }
    }

    private func copyDirectory(
        _ found: Descriptor, _ status: stat, _ name: ByteString, at path: ByteString,
        into to: LeavingDirectory
    ) throws {
        guard status.st_dev == roots[0].st_dev else {
            throw Failure(
                .failure, "\(path.shown): another file system is mounted there",
                next: "copy it with cp -a")
        }
        // By another way than its path, such as a bind mount.
        guard !roots.contains(where: { $0.st_dev == status.st_dev && $0.st_ino == status.st_ino })
        else {
            throw Failure(.failure, "\(path.shown) is where the copy is made, or begins")
        }
        guard depth < Self.deepest else {
            throw Failure(
                .failure,
                "\(path.shown) is below more than \(Self.deepest.grouped) other directories",
                next: "name one of them as DIR")
        }
        depth += 1
        defer { depth -= 1 }
        let from = try reopen(found.raw, O_RDONLY | O_DIRECTORY)
        let made = try directory(name, in: to.descriptor)
        copyEntries(of: from, at: path, into: try LeavingDirectory(made))
        guard !isFull else { return }
        try keepAttributes(of: status, from, on: made)
        noteUnkept(of: status, from, at: path, on: made)
        try synchronize(made.raw)
    }

    /// New, or an earlier run's, which may have its final mode.
    private func directory(
        _ name: ByteString, in parent: Descriptor
    ) throws(Errno) -> Descriptor {
        if mkdirat(parent.raw, name.cString, 0o700) != 0, Errno.current != .exists {
            throw .current
        }
        let found = try openFile(
            at: parent.raw, name.cString, openPathOnly | O_DIRECTORY | O_NOFOLLOW)
        try? changeMode(of: found, to: 0o700)
        return try reopen(found.raw, O_RDONLY | O_DIRECTORY)
    }

    private func copyFile(
        _ found: Descriptor, _ status: stat, _ name: ByteString, at path: ByteString,
        into to: LeavingDirectory
    ) throws {
        let there = to.found(name)
        if let there {
            guard there.st_mode & S_IFMT == S_IFREG, hasTime(of: status, there) else {
                throw isThere(path)
            }
            // Nothing has happened to the original since.
            if isBefore(status.st_ctim, there.st_ctim) {
                present += 1
                if let copy = try? to.openCopy(name) {
                    noteProtectedData(in: copy, of: path)
                    let original = try? reopen(found.raw, O_RDONLY | O_NONBLOCK | O_NOCTTY)
                    original.map { noteUnkept(of: status, $0, at: path, on: copy) }
                }
                return
            }
        }
        let file = try reopen(found.raw, O_RDONLY | O_NONBLOCK | O_NOCTTY)
        let source = Source(path, opened: file, status)
        let new = try begin()
        var count = 0
        defer { progress.finish(path, size: count) }
        count = try write(source, into: new.descriptor)
        try keepAttributes(of: status, file, on: new.descriptor)
        if there != nil {
            let copy = try to.openCopy(name)
            guard try haveSameContent(new.descriptor, copy) else { throw isThere(path) }
            try source.refuseIfWritten()
            try keepAttributes(of: status, file, on: copy)
            noteUnkept(of: status, file, at: path, on: copy)
            noteProtectedData(in: copy, of: path)
            present += 1
            return
        }
        try new.take(name, in: to.descriptor) { try source.refuseIfWritten() }
        noteUnkept(of: status, file, at: path, on: new.descriptor)
        noteProtectedData(in: new.descriptor, of: path)
        files += 1
        bytes += count
    }

    /// Where none can begin, none can, as on a disk that has gone.
    private func begin() throws(Failure) -> LeavingFile {
        do throws(Errno) { return try LeavingFile(in: destination) } catch {
            isFull = true
            throw Failure(destination.place, error)
        }
    }

    private func noteUnkept(
        of status: stat, _ original: Descriptor, at path: ByteString, on copy: Descriptor
    ) {
        note(Unkept.all(of: status, original, on: copy), of: path)
    }

    private func note(_ unkept: [Unkept], of path: ByteString) {
        if !unkept.isEmpty { progress.clear() }
        self.unkept.add(unkept, of: path)
    }

    private func noteProtectedData(in copy: Descriptor, of path: ByteString) {
        guard let owner = ownerOfDataHeld(in: copy) else { return }
        progress.clear()
        let below = path.bytes.dropFirst(source.path.bytes.count).drop { $0 == UInt8(ascii: "/") }
        leftOut.addHolder(destination.place.appending(ByteString(Array(below))), of: owner)
    }

    /// A whole copy has its name, and the time of what it was made from, which programs can set as
    /// they like. vfat's are even seconds, exFAT's hundredths.
    private func hasTime(of status: stat, _ there: stat) -> Bool {
        let (original, copy) = (status.st_mtim, there.st_mtim)
        let isCoarse = copy.tv_nsec % 10_000_000 == 0
        return original.tv_sec == copy.tv_sec && original.tv_nsec == copy.tv_nsec
            || isCoarse && abs(original.tv_sec - copy.tv_sec) <= 2
    }

    private func isThere(_ path: ByteString) -> Failure {
        Failure(
            .failure, "\(path.shown) was copied before, and one of the two has changed since",
            next: "move the copy elsewhere and run the command again")
    }

    private func write(_ source: Source, into new: Descriptor) throws -> Int {
        if let plain = try PlainCopy(of: source, orForeign: true) {
            return try plain.write(into: new, progress)
        }
        let facts = try headerFacts(source.path, source.descriptor)
        if let flaw = facts.flaw { throw flaw }
        do {
            return try keyHolder().convert(
                source, .open, into: new, override: nil, progress)
        } catch {
            throw Unopened(owner: facts.owner.description, cause: Failure(any: error))
        }
    }

    /// The daemon of `--workspace`, else of the directory, else the only one that runs.
    private func keyHolder() throws(Failure) -> Daemon {
        if let daemon { return try daemon.get() }
        let isNamed = invocation.arguments.has(.workspace)
        let found = Result { () throws(Failure) -> Daemon in
            guard !isNamed, let name = source.workspace else { return try invocation.daemon() }
            return try Daemon(of: name)
        }
        daemon = found
        return try found.get()
    }

    private func copyLink(
        _ found: Descriptor, _ status: stat, _ name: ByteString, at path: ByteString,
        into to: LeavingDirectory
    ) throws {
        let target = try linkTarget(at: found)
        if symlinkat(target.cString, to.descriptor.raw, name.cString) != 0 {
            guard Errno.current == .exists else { throw Errno.current }
            let there = try openFile(at: to.descriptor.raw, name.cString, openPathOnly | O_NOFOLLOW)
            guard (try? linkTarget(at: there)) == target else { throw isThere(path) }
        }
        let times = [status.st_atim, status.st_mtim]
        utimensat(to.descriptor.raw, name.cString, times, AT_SYMLINK_NOFOLLOW)
        fchownat(to.descriptor.raw, name.cString, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW)
        if let made = to.found(name) { note(Unkept.all(of: status, on: made), of: path) }
    }
}

private func isBefore(_ one: timespec, _ other: timespec) -> Bool {
    (one.tv_sec, one.tv_nsec) < (other.tv_sec, other.tv_nsec)
}
