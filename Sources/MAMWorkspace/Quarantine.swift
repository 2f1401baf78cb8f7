// Stores files that a repair cannot repair, and blocks that it overwrites.

internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import Synchronization

/// `.mamd/quarantine/TIME/`, where a file keeps its path; `TIME.log` beside it gives the reasons.
final class Quarantine: Sendable {
    private let root: Descriptor
    private let opened = Mutex<Opened?>(nil)

    private struct Opened {
        let name: String
        let directory: Descriptor
        let log: Descriptor
    }

    private static let parentName = "quarantine"

    /// Creates nothing yet.
    init(in root: Descriptor) { self.root = root }

    /// Moves a file here, durably; returns its new path below the backing directory.
    ///
    /// `whileNamesStand` runs the move with renames excluded, and nothing that waits for a disk.
    func take(
        _ item: VerifyItem, because reason: String,
        _ whileNamesStand: (() throws(Errno) -> Void) throws(Errno) -> Void
    ) throws(Errno) -> ByteString {
        try fill(with: item, because: reason) { target throws(Errno) in
            try Faults.check(.rename)
            let noReplace: UInt32 = 1  // RENAME_NOREPLACE
            try whileNamesStand { () throws(Errno) in
                _ = try retrying {
                    mam_renameat2(
                        item.parent.handle.raw, item.name.cString, target.raw, item.name.cString,
                        noReplace)
                }
            }
            try synchronize(target.raw)
            try synchronizeDirectory(item.parent.handle.raw)
        }
    }

    /// Creates an empty file, durably, for what a repair will overwrite; returns its path below the
    /// backing directory.
    func makeFile(
        for item: VerifyItem, because reason: String
    ) throws(Errno) -> (file: Descriptor, place: ByteString) {
        var file: Descriptor?
        let place = try fill(with: item, because: reason) { target throws(Errno) in
            file = try openFile(
                at: target.raw, item.name.cString, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600)
            try synchronize(target.raw)
        }
        guard let file else { throw .noEntry }
        return (file, place)
    }

    /// `body` gets the directory for an item, which the log already lists.
    private func fill(
        with item: VerifyItem, because reason: String,
        _ body: (Descriptor) throws(Errno) -> Void
    ) throws(Errno) -> ByteString {
        try opened.withLock { opened throws(Errno) in
            if opened == nil { opened = try open() }
            guard let place = opened else { throw .noEntry }
            try write(item, reason, to: place.log)
            try body(try directory(item.path.directory, below: place.directory))
            return ByteString("\(Tree.hiddenName)/\(Self.parentName)/\(place.name)")
                .appending(item.path)
        }
    }

    /// Each run has its own directory, so that names cannot collide.
    private func open() throws(Errno) -> Opened {
        let own = try openFile(
            at: root.raw, Tree.hiddenName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        let parent = try makeDirectory(ByteString(Self.parentName), in: own)
        let time = timestamp()
        for number in 1...1000 {
            let name = number == 1 ? time : "\(time)-\(number)"
            if mkdirat(parent.raw, name, 0o700) != 0 {
                guard Errno.current == .exists else { throw .current }
                continue
            }
            let log = try openFile(
                at: parent.raw, "\(name).log", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                mode: 0o600)
            let directory = try openFile(
                at: parent.raw, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            try synchronize(parent.raw)
            return Opened(name: name, directory: directory, log: log)
        }
        throw .exists
    }

    private func makeDirectory(
        _ name: ByteString, in parent: Descriptor
    ) throws(Errno) -> Descriptor {
        if mkdirat(parent.raw, name.cString, 0o700) != 0 {
            guard Errno.current == .exists else { throw .current }
        } else {
            try synchronize(parent.raw)
        }
        return try openFile(
            at: parent.raw, name.cString, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    }

    private func directory(
        _ path: ByteString, below top: Descriptor
    ) throws(Errno) -> Descriptor {
        var directory = top
        for name in path.bytes.split(separator: UInt8(ascii: "/")) where name != [UInt8(ascii: ".")]
        {
            directory = try makeDirectory(ByteString(Array(name)), in: directory)
        }
        return directory
    }

    /// Before the move: without its log line, a file here could not be attributed.
    private func write(
        _ item: VerifyItem, _ reason: String, to log: Descriptor
    ) throws(Errno) {
        let line: JSONValue = ["path": .string(item.path.shown), "reason": .string(reason)]
        let bytes = line.encoded() + [UInt8(ascii: "\n")]
        let end = try status(of: log.raw).st_size
        try bytes.span.withUnsafeBytes { buffer throws(Errno) in
            try writeFully(log.raw, from: buffer, at: Int64(end))
        }
        try synchronize(log.raw)
    }
}
