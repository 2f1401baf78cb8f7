// What the mount would refuse to a caller, of one file or of many.

internal import MAMIdentity
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension WorkspaceInterface {
    func whyRefused(_ call: VarlinkCall) throws(VarlinkError) -> Wire.WhyRefused.Reply {
        let request: Wire.WhyRefused = try call.request()
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let caller = AskingProgram(found(for: call.peer), call.peer)
        let found = try vaulted { () throws(VaultError) in
            try refusal(of: request.act, on: file, to: caller)
        }
        return .init(refusal: found.map { .init($0) })
    }

    /// Both questions about many files: a message costs more than the answer about a file.
    func inspect(_ call: VarlinkCall) throws(VarlinkError) -> Wire.Inspect.Reply {
        let request: Wire.Inspect = try call.request()
        let caller = AskingProgram(found(for: call.peer), call.peer)
        var files: [Wire.Inspected] = []
        for index in request.fileDescriptors {
            let file = try call.descriptor(at: index, "fileDescriptors")
            try requireOrdinary(file, call)
            let found = inspected(
                file, call, request.act, request.content == true, to: caller)
            if request.brief != true || !files.isRepeated(found) { files.append(found) }
        }
        return .init(files: files)
    }

    private func inspected(
        _ file: Descriptor, _ call: VarlinkCall, _ act: FileAct?, _ asksForContent: Bool,
        to caller: AskingProgram
    ) -> Wire.Inspected {
        do throws(VaultError) {
            let info = try protection(of: file, call, in: tree)
            // An act that is not for what it is, such as to read a directory, is not refused.
            let refused = act.flatMap { try? refusal(of: $0, on: file, to: caller) }
            var holds: Bool?
            if asksForContent, act == .read, refused == nil, info.fileClass == info.effectiveClass {
                holds = try? Holders(tree).holdsData(file, for: call.peer.uid)
            }
            return .init(
                protection: .init(info), refusal: refused.map { .init($0) }, holds: holds)
        } catch { return .init(failure: .init(error)) }
    }

    /// Why the mount would refuse the act to the calling process; nil if it would not.
    private func refusal(
        of act: FileAct, on file: Descriptor, to caller: AskingProgram
    ) throws(VaultError) -> VaultError? {
        try Admission(tree).refusal(of: act, on: file, to: caller.program, for: caller.caller)
    }
}

/// The asking program, with the identity that open(2) would find.
private struct AskingProgram {
    let program: FoundIdentity
    let caller: Caller

    init(_ program: FoundIdentity, _ peer: Peer) {
        self.program = program
        // The thread is no thread of the daemon's own.
        caller = Caller(thread: 0, user: peer.uid, group: peer.gid, umask: 0)
    }
}

extension [Varlink.Workspace.Inspected] {
    /// Counts it as one more like the last, if it is.
    fileprivate mutating func isRepeated(_ next: Varlink.Workspace.Inspected) -> Bool {
        guard var last, let index = indices.last else { return false }
        let count = last.count ?? 1
        last.count = nil
        guard last == next else { return false }
        self[index].count = count + 1
        return true
    }
}

extension Varlink.Workspace.Refusal {
    fileprivate init(_ refusal: VaultError) {
        let error = VarlinkError(refusal)
        let reason = error.message
        self.init(
            error: error.lastName, errno: Int(refusal.errno.rawValue),
            account: error.account, kind: error.kind,
            reason: reason.english, words: reason.wire, next: error.next)
    }
}
