// What the mount would refuse to a caller.

internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWords
internal import MAMWorkspace

extension WorkspaceInterface {
    func whyRefused(_ call: VarlinkCall) throws(VarlinkError) -> Wire.WhyRefused.Reply {
        let request: Wire.WhyRefused = try call.request()
        guard let act = FileAct(rawValue: request.act) else { throw .invalidParameter("act") }
        let file = try call.file("path", "fileDescriptor", self, .pathOnly)
        let found = try vaulted { () throws(VaultError) in try refusal(of: act, on: file, call) }
        return .init(refusal: found.map { .init($0) })
    }

    /// Why the mount would refuse the act to the calling process; nil if it would not.
    private func refusal(
        of act: FileAct, on file: Descriptor, _ call: VarlinkCall
    ) throws(VaultError) -> VaultError? {
        // The thread is no thread of the daemon's own.
        let caller = Caller(thread: 0, user: call.peer.uid, group: call.peer.gid, umask: 0)
        return try Admission(tree).refusal(
            of: act, on: file, to: found(for: call.peer), for: caller)
    }
}

extension Varlink.Workspace.Refusal {
    fileprivate init(_ refusal: VaultError) {
        let error = VarlinkError(refusal)
        let reason = error.message
        self.init(
            error: error.lastName, errno: Int(refusal.errno.rawValue),
            account: error.parameters["account"]?.text, kind: error.parameters["kind"]?.text,
            reason: reason.english, words: reason.wire, next: error.next)
    }
}
