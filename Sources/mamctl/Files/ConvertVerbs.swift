// `encrypt` and `decrypt`: protected files outside any mount. The daemon has the keys; this process
// opens the files.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

func encrypt(_ invocation: Invocation) throws -> ExitStatus {
    guard let owner = try invocation.arguments.text("owner") else {
        throw invocation.misuse("--owner is missing")
    }
    return try Converter(invocation, .seal(owner: owner)).convertEach()
}

/// Without an output, decrypts in place, inside a mount or outside.
func decrypt(_ invocation: Invocation) throws -> ExitStatus {
    try Converter(invocation, .open).convertEach()
}

/// One of the two ways.
enum Direction {
    case seal(owner: String), open

    var seals: Bool {
        if case .seal = self { true } else { false }
    }
}

/// How the daemon writes what it seals, and reads what it opens.
enum DataForm {
    case file
    /// From front to back; it opens what the source's bytes are, also in a mount.
    case stream
    /// A stream as the SDK has it: what is plain, or an unmanaged owner's if it may be, stays so.
    case data(unmanaged: Bool)

    var isStrict: Bool? { if case .stream = self { true } else { nil } }
    var mayBeUnmanaged: Bool? { if case .data(let unmanaged) = self { unmanaged } else { nil } }
}

/// The source file.
struct Source {
    let path: ByteString
    let descriptor: Descriptor
    let attributes: stat
    /// False for a file in a mount that only the daemon opens.
    private let isOpen: Bool
    /// Whether it is a mount's file that holds protected data.
    private let isHolder: Bool

    /// `overrides`: policy may keep this process from opening the file.
    init(_ path: ByteString, overrides: Bool) throws(Failure) {
        self.path = path
        let file = try openForQuestion(path)
        let isInMount = workspace(of: file) != nil
        let isOpen = !overrides || !isInMount
        self.isOpen = isOpen
        (descriptor, attributes) = try naming(path) { () throws(Errno) in
            let source = isOpen ? try reopen(file.raw, O_RDONLY) : file
            return (source, try status(of: source.raw))
        }
        isHolder = isInMount && isOpen && ownerOfDataHeld(in: descriptor) != nil
    }

    /// A file that is open already, and what it was then.
    init(_ path: ByteString, opened descriptor: Descriptor, _ attributes: stat) {
        (self.path, self.descriptor, self.attributes) = (path, descriptor, attributes)
        (isOpen, isHolder) = (true, false)
    }

    /// The path of the opened file itself, as a symbolic link in `path` may have changed.
    var place: ByteString {
        get throws(Failure) {
            try naming(path, currentPath(of: descriptor.raw))
        }
    }

    /// Refuses to replace a file that was changed, moved or removed since it was opened.
    func refuseIfChanged(at place: ByteString) throws(Failure) {
        let now = try? status(at: workingDirectory, place.cString, followLinks: false)
        guard let now, now.st_dev == attributes.st_dev, now.st_ino == attributes.st_ino,
            isUnwritten(now)
        else {
            throw Failure(
                .failure, "\(path.shown) has changed meanwhile and was not replaced",
                next: "close it in other programs and try again")
        }
    }

    /// Refuses a copy that may have parts of before a change and of after it.
    func refuseIfWritten() throws(Failure) {
        let now = try naming(path, status(of: descriptor.raw))
        guard isUnwritten(now), now.st_ctim.tv_sec == attributes.st_ctim.tv_sec,
            now.st_ctim.tv_nsec == attributes.st_ctim.tv_nsec
        else {
            throw Failure(
                .failure, "\(path.shown) has changed while it was read, and was left out",
                next: "close it in other programs and try again")
        }
    }

    private func isUnwritten(_ now: stat) -> Bool {
        now.st_size == attributes.st_size
            && now.st_mtim.tv_sec == attributes.st_mtim.tv_sec
            && now.st_mtim.tv_nsec == attributes.st_mtim.tv_nsec
    }

    /// Refuses to encrypt an encrypted file.
    func refuseToEncrypt() throws(Failure) {
        guard isOpen else { return }
        let facts = try headerFacts(path, descriptor)
        if let flaw = facts.flaw { throw flaw }
        if facts.isManaged {
            throw Failure(
                .failure, "\(path.shown) is already encrypted for \(facts.owner)",
                next: "mamctl info \(path.asArgument)")
        }
    }

    /// Refuses a file that is not encrypted, by its header or, in a mount, by the daemon's answer.
    func refuseToDecrypt(_ invocation: Invocation) throws {
        guard !isHolder else { return }
        let name = workspace(of: descriptor)
        let facts =
            try name.map {
                try invocation.protection(of: descriptor, path, in: $0)
            } ?? headerFacts(path, descriptor)
        if let flaw = facts.flaw { throw flaw }
        guard name == nil ? facts.state == .foreign : !facts.isEncrypted,
            isOpen || ownerOfDataHeld(in: descriptor, facts.state) == nil
        else { return }
        throw Failure(
            .notManaged, "\(path.shown) is not encrypted",
            next: "mamctl info \(path.asArgument)")
    }
}
