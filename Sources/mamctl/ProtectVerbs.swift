// `protect`: files and whole directories of a mount.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What has the owner already, and is encrypted as it needs, stays as it is. One path's failure is
/// reported and does not keep the others from being protected; the first failure's status is the
/// result.
func protect(_ invocation: Invocation) throws -> ExitStatus {
    let owner = try invocation.arguments.text("owner")
    var output = ProtectOutput(invocation)
    for path in invocation.operands {
        do { try invocation.protect(path, owner, &output) } catch {
            output.fail(path, Failure(any: error))
        }
    }
    return output.finish()
}

extension Invocation {
    fileprivate func protect(
        _ path: ByteString, _ owner: String?, _ output: inout ProtectOutput
    ) throws {
        let file = try openForQuestion(path, orDirectory: true)
        guard let name = workspace(of: file) else {
            throw Failure(
                .failure,
                "\(path.shown): only what lies in a mounted workspace has an owner to set",
                next: "mamctl encrypt \(path.asArgument) --owner UPN")
        }
        let daemon = try Daemon(of: name, servingMountOf: file)
        let status = try daemon.status()
        let mountPoint = ByteString(status.mountPoint)
        var failure: VarlinkError?
        try daemon.stream(
            "Protection.VerifyAndProtect",
            [
                "owner": .string(try owner ?? defaultOwner(of: status)),
                "unmanaged": mayBeUnmanaged, "fileDescriptor": 0,
            ],
            descriptors: [file], about: path.shown
        ) { reply in
            do throws(VarlinkError) { try output.take(reply, path, mountPoint) } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
    }

    /// Whether an owner on the command line may be no account.
    var mayBeUnmanaged: JSONValue { .bool(arguments.has(.unmanaged)) }

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
    /// Without a total: to count the files takes as long as most of the work.
    private let progress = Progress()
    private var changedCount = 0
    private var status = ExitStatus.success

    init(_ invocation: Invocation) { self.invocation = invocation }

    mutating func take(
        _ reply: Parameters, _ operand: ByteString, _ mountPoint: ByteString
    ) throws(VarlinkError) {
        func place(_ part: Parameters) throws(VarlinkError) -> ByteString {
            let path = try part.string("path")
            return path.isEmpty ? operand : mountPoint.appending(ByteString(shown: path))
        }
        if reply.has("file") {
            let file = try reply.object("file")
            let info = try ProtectionInfo(try file.object("protection"))
            let wasChanged = try file.bool("changed")
            progress.files += 1
            if wasChanged { changedCount += 1 }
            try tell(place(file), info, wasChanged)
        } else if reply.has("failure") {
            let part = try reply.object("failure")
            let error = VarlinkError(
                "\(ProtectionDescription.name).FileFailed", part.members
            ).workspaceError
            let path = try place(part)
            fail(path, Failure(error, about: path.shown))
        }
    }

    private func tell(_ path: ByteString, _ info: ProtectionInfo, _ wasChanged: Bool) {
        if invocation.isJSON, !invocation.arguments.has("quiet") {
            let members: JSONValue = [
                "path": .string(path.shown), "changed": .bool(wasChanged), "protection": info.json,
            ]
            return printJSON(members, onOneLine: true)
        }
        if wasChanged, !invocation.arguments.has("quiet") {
            if isatty(STDOUT_FILENO) == 1 { progress.clear() }
            let owner = ByteString(info.owner.description).shown
            let note = info.isManaged ? "" : "\tnow plain"
            invocation.print(Record(before: "\(owner)\t", path: path, after: note))
        }
        progress.note = "\(changedCount.grouped) changed"
        progress.show()
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
