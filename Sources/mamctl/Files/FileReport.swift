// The protection of a file: from the daemon inside a mount, from the file's header elsewhere.

internal import Glibc
internal import MAMCommandLine
internal import MAMFormat
internal import MAMModel
internal import MAMPlaces
internal import MAMStore
internal import MAMSystem
internal import MAMWire

/// The answer to `owner`, `info` and `is-encrypted` for one file.
struct FileReport {
    let path: ByteString
    let owner: Identity
    let isManaged: Bool
    let fileClass: ProtectionClass?
    /// Nil outside a mount, where no policy applies.
    let effectiveClass: ProtectionClass?
    /// Nil for an encrypted file outside a mount: only its daemon knows whether the key is
    /// available.
    let state: ProtectionState?
    let reason: Message

    var isEncrypted: Bool { fileClass != nil }

    /// The failure to report for a file that this version cannot read; nil for others.
    var flaw: Failure? {
        switch state {
        case .damaged:
            Failure(
                .damaged, "\(path.shown): \(reason)",
                next: "mamctl verify, and restore the file from a backup")
        case .newer: Failure(.usage, "\(path.shown): \(reason)")
        default: nil
        }
    }

    /// The state's word. A file that is there, but not for this program, is not available.
    func word(_ refusal: Failure?) -> String? {
        switch state {
        case .available, .unmanaged, .unsealed, .foreign:
            refusal == nil ? state?.rawValue : "refused"
        default: state?.rawValue
        }
    }

    var json: JSONValue { .object(members) }

    /// With why this program may not read the file, which is null if it may.
    func json(_ refusal: Failure?) -> JSONValue {
        .object(
            members.merging([
                "state": JSONValue(word(refusal)), "refusal": refusal?.json ?? .null,
            ]) { $1 })
    }

    private var members: [String: JSONValue] {
        [
            "path": .string(path.shown),
            "owner": .string(owner.name),
            "ownerObjectId": .string(owner.objectID),
            "managed": .bool(isManaged),
            "class": JSONValue(fileClass?.letter),
            "effectiveClass": JSONValue(effectiveClass?.letter),
            "state": JSONValue(state?.rawValue),
            "reason": .string(reason.english),
        ]
    }
}

extension FileReport {
    init(_ path: ByteString, _ info: FileProtection) {
        self.init(
            path: path, owner: info.owner, isManaged: info.isManaged, fileClass: info.fileClass,
            effectiveClass: info.effectiveClass, state: info.state, reason: info.reason)
    }
}

extension Invocation {
    /// Asks the daemon in a mount and reads the header elsewhere. Refuses anything but regular
    /// files, and directories with `orDirectory`.
    func facts(of path: ByteString, orDirectory: Bool = false) throws -> FileReport {
        let file = try openForQuestion(path, orDirectory: orDirectory)
        guard let name = workspace(of: file) else { return try headerFacts(path, file) }
        return try protection(of: file, path, in: name)
    }

    /// The protection of standard input. Reads only the header, of either format.
    func factsOfInput() throws -> FileReport {
        let reply = try daemon().call(
            Varlink.Protection.DataInfo(sourceDescriptor: 0),
            descriptors: [try standardStream(STDIN_FILENO)], about: .verbatim(inputName.shown))
        guard let protection = reply.protection else {
            return plain(inputName, "the data has no protection header")
        }
        return FileReport(inputName, try FileProtection(protection))
    }

    func protection(
        of file: Descriptor, _ path: ByteString, in workspace: WorkspaceName
    ) throws -> FileReport {
        try protection(
            Varlink.Workspace.ProtectionInfo(fileDescriptor: 0), of: file, path, in: workspace)
    }

    /// Calls a method that answers a file's protection. The file is the request's descriptor 0.
    func protection<Request: VarlinkRequest>(
        _ request: Request, of file: Descriptor, _ path: ByteString, in workspace: WorkspaceName
    ) throws -> FileReport where Request.Reply: ProtectionReply {
        let daemon = try Daemon(of: workspace, servingMountOf: file)
        let reply = try daemon.call(request, descriptors: [file], about: .verbatim(path.shown))
        return FileReport(path, try FileProtection(reply.protection))
    }
}

private func openToAsk(_ path: ByteString) throws(Errno) -> (Descriptor, mode_t) {
    let file = try openFile(path.cString, openPathOnly)
    return (file, try status(at: file.raw, "", followLinks: true).st_mode)
}

/// An `O_PATH` descriptor of a regular file, or of a directory with `orDirectory`. O_PATH needs no
/// read permission and does not activate devices.
func openForQuestion(
    _ path: ByteString, orDirectory: Bool = false
) throws(Failure) -> Descriptor {
    let (file, mode) = try naming(path) { () throws(Errno) in
        do throws(Errno) { return try openToAsk(path) } catch {
            guard error == .staleHandle else { throw error }
            // It has got another number in the mount. By its name, the kernel looks it up again.
            _ = try status(at: AT_FDCWD, path.cString, followLinks: true)
            return try openToAsk(path)
        }
    }
    switch mode & S_IFMT {
    case S_IFREG: return file
    case S_IFDIR where orDirectory && workspace(of: file) != nil: return file
    case S_IFDIR where orDirectory:
        throw Failure(
            .failure,
            "\(path.shown): a directory outside of mounted workspaces has no owner; the files in it"
                + " do",
            next: "name the files, or for mamctl protect a directory in a mounted workspace")
    case S_IFDIR:
        throw Failure(
            .failure, "\(path.shown): a directory has no owner; the files in it do",
            next: "name the files, or mamctl protect \(path.asArgument) in a mounted workspace")
    default:
        throw Failure(
            .failure, "\(path.shown): only regular files have an owner",
            next: "name a file; for what comes through a pipe: mamctl encrypt -")
    }
}

/// Reads the file's header.
func headerFacts(_ path: ByteString, _ file: Descriptor) throws(Failure) -> FileReport {
    let facts = try naming(path) { () throws(Errno) in
        let open = try reopen(file.raw, O_RDONLY | O_NONBLOCK)
        return try FileFacts(
            of: open, physicalSize: Int64(try status(of: open.raw).st_size), orStream: true)
    }
    return switch facts {
    case .empty, .unwritten: plain(path, "the file is empty")
    case .foreign: plain(path, "the file has no protection header")
    case .damaged(.newerVersion(let version)):
        plain(path, "\(HeaderError.newerVersion(version))", .newer)
    case .damaged(let error): plain(path, "\(error)", .damaged)
    case .protected(let header): decoded(path, header)
    }
}

private func decoded(_ path: ByteString, _ header: FileHeader) -> FileReport {
    guard let sealing = header.sealing else {
        return FileReport(
            path: path, owner: header.owner, isManaged: false, fileClass: nil, effectiveClass: nil,
            state: .unmanaged, reason: "the header names an unmanaged owner")
    }
    return FileReport(
        path: path, owner: header.owner, isManaged: true, fileClass: sealing.protectionClass,
        effectiveClass: nil, state: nil,
        reason: "encrypted; read from the header, outside any mount")
}

private func plain(
    _ path: ByteString, _ reason: Message, _ state: ProtectionState = .foreign
) -> FileReport {
    FileReport(
        path: path, owner: .nobody, isManaged: false, fileClass: nil, effectiveClass: nil,
        state: state, reason: reason)
}
