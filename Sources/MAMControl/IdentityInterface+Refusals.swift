// What contained programs were refused by their supervisor.

internal import MAMIdentity
internal import MAMModel
internal import MAMVault
internal import MAMWire

extension IdentityInterface {
    /// The words are ours: what a program chose, such as an address, could be content.
    private static func reason(_ act: Wire.ContainedAct) -> String {
        switch act {
        case .connect: "policy and settings let its contained programs connect elsewhere at most"
        case .mount: "another file system was mounted in the workspace: the programs were ended"
        }
    }

    /// The broker marks connections of the programs, and not the supervisor's own.
    func noteRefusal(_ call: VarlinkCall) throws(VarlinkError) -> NoMembers {
        let request: Wire.NoteRefusal = try call.request()
        let found = Callers(vault).found(forThread: call.peer.pid, user: call.peer.uid)
        guard found.isContained, !call.peer.isContained else {
            throw .refused("only the supervisor of contained programs tells what it refused")
        }
        Containment(vault).noteRefused(
            request.what.rawValue, of: found.identity, by: call.peer.pid, user: call.peer.uid,
            Self.reason(request.what))
        return NoMembers()
    }
}
