// `protect` and `owner --set`: set the owner of files and directories in a mount.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

private typealias Wire = Varlink.Protection

/// Files that already have the owner and the right encryption stay unchanged. Reports failures and
/// goes on; returns the first failure's status.
func protect(_ invocation: Invocation) throws -> ExitStatus {
    let owner = try invocation.meantOwner("owner")
    let isDeep = !invocation.arguments.has("only-new")
    var output = ProtectOutput(invocation)
    for path in invocation.operands {
        do {
            try invocation.give(path, to: owner, isDeep: isDeep) { given in
                output.take(given)
                if case .done(path, let info, _) = given { output.noteDataHeld(path, info) }
            }
        } catch { output.fail(path, Failure(any: error)) }
    }
    return output.finish()
}

/// The result for one file or directory.
enum Given {
    case done(ByteString, FileProtection, wasChanged: Bool)
    case failed(ByteString, Failure)

    /// Nil for a reply about no file. Its path is relative to the mount, and empty for the operand
    /// itself.
    fileprivate init?(
        _ reply: Wire.Protect.Reply, _ operand: ByteString, _ mountPoint: ByteString
    ) throws(VarlinkError) {
        func place(_ path: String) -> ByteString {
            path.isEmpty ? operand : mountPoint.appending(ByteString(shown: path))
        }
        if let file = reply.file {
            let info = try FileProtection(file.protection)
            self = .done(place(file.path), info, wasChanged: file.changed)
        } else if let failure = reply.failure {
            let path = place(failure.path)
            self = .failed(
                path, Failure(VarlinkError(failure).workspaceError, about: .verbatim(path.shown)))
        } else {
            return nil
        }
    }
}

extension Invocation {
    /// Gives a file to an identity, or a directory: then its new files, and with `isDeep` all files
    /// below it.
    ///
    /// `owner`: nil for the caller's account.
    func give(
        _ path: ByteString, to owner: String?, isDeep: Bool, _ tell: (Given) -> Void
    ) throws {
        let file = try openForQuestion(path, orDirectory: true)
        guard let name = workspace(of: file) else {
            throw Failure(
                .failure,
                "\(path.shown): only files in a mounted workspace have an owner that can be set",
                next: "mamctl encrypt \(path.asArgument) --owner UPN")
        }
        let daemon = try Daemon(of: name, servingMountOf: file)
        let status = try daemon.status()
        let owner = try owner ?? defaultOwner(of: status)
        if !isDeep, try isDirectory(file, path) {
            let request = Varlink.Workspace.SetOwner(
                owner: owner, unmanaged: mayBeUnmanaged, fileDescriptor: 0,
                override: try override())
            let reply = try daemon.call(request, descriptors: [file], about: .verbatim(path.shown))
            let info = try FileProtection(reply.protection)
            return tell(.done(path, info, wasChanged: true))
        }
        let mountPoint = ByteString(status.mountPoint)
        var failure: VarlinkError?
        try daemon.stream(
            Wire.VerifyAndProtect(
                owner: owner, unmanaged: mayBeUnmanaged, fileDescriptor: 0,
                override: try override()),
            descriptors: [file], about: .verbatim(path.shown)
        ) { reply in
            do throws(VarlinkError) { try Given(reply, path, mountPoint).map(tell) } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
    }

    private func isDirectory(_ file: Descriptor, _ path: ByteString) throws -> Bool {
        let mode = try naming(path, status(at: file.raw, "", followLinks: true).st_mode)
        return mode & S_IFMT == S_IFDIR
    }

    /// Whether the owner may be an identity without an account.
    var mayBeUnmanaged: Bool { arguments.has(.unmanaged) }

    /// The option's value. An empty one, such as an unset variable's, makes files plain: it needs
    /// --unmanaged.
    func meantOwner(_ option: String) throws(Failure) -> String? {
        let owner = try arguments.text(option)
        // As answers show nobody: it would be an owner of that name.
        if let owner, ["nobody", "-"].contains(owner) {
            throw Failure(
                .usage, "--\(option) \(owner): that is a name, and nobody has none",
                next: "--\(option) '' --unmanaged, for nobody")
        }
        guard owner == "", !mayBeUnmanaged else { return owner }
        throw .usage(
            verb,
            "--\(option) is empty: nobody's files are plain; if that is meant, add --unmanaged")
    }

    /// Root's reason for acting against policy.
    func override() throws(Failure) -> String? { try arguments.text(Option.override.name) }

    /// The account that is the caller's default identity, or the caller's only one.
    func defaultOwner(of status: StatusReport) throws(Failure) -> String {
        let own = status.accounts.filter { $0.uid == getuid() }
        guard let account = own.first(where: \.isDefault) ?? (own.count == 1 ? own[0] : nil) else {
            throw .usage(verb, "--owner is missing, and you have \(own.count) accounts here")
        }
        return account.name.isEmpty ? account.objectID : account.name
    }
}

/// Lines, progress and JSON, one line for each file.
private struct ProtectOutput {
    private let invocation: Invocation
    /// Without a total: counting the files would take most of the time.
    private let progress = Progress()
    private var changedCount = 0
    private var status = ExitStatus.success

    init(_ invocation: Invocation) { self.invocation = invocation }

    mutating func take(_ given: Given) {
        switch given {
        case .done(let path, let info, let wasChanged):
            progress.files += 1
            if wasChanged { changedCount += 1 }
            tell(path, info, wasChanged)
        case .failed(let path, let failure): fail(path, failure)
        }
    }

    private func tell(_ path: ByteString, _ info: FileProtection, _ wasChanged: Bool) {
        if invocation.isJSON, !invocation.arguments.has("quiet") {
            let members: JSONValue = [
                "path": .string(path.shown), "changed": .bool(wasChanged), "protection": info.json,
            ]
            return printJSON(members, onOneLine: true)
        }
        if wasChanged, !invocation.arguments.has("quiet") {
            if isatty(STDOUT_FILENO) == 1 { progress.clear() }
            invocation.print(giftLine(FileReport(path, info)))
        }
        progress.note = "\(changedCount.grouped) changed"
        progress.show()
    }

    /// It has the owner now, and is not what a person may mean.
    func noteDataHeld(_ path: ByteString, _ info: FileProtection) {
        guard let file = try? openForQuestion(path),
            let held = ownerOfDataHeld(in: file, info.state)
        else { return }
        progress.clear()
        explainHeld(path, held).report(isJSON: false)
    }

    mutating func fail(_ path: ByteString, _ failure: Failure) {
        if status == .success { status = failure.status }
        progress.clear()
        failure.report(isJSON: false)
        if invocation.isJSON {
            printJSON(["path": .string(path.shown), "error": failure.json], onOneLine: true)
        }
    }

    func finish() -> ExitStatus {
        progress.clear()
        return status
    }
}
