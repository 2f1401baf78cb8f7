// What a contained program may call.

internal import MAMIdentity
internal import MAMModel
internal import MAMTree
internal import MAMVault
internal import MAMWire

/// The daemon is not contained: what it did for such a program could lead out of the workspace, as
/// could another owner, other keys or another policy. So only these methods are answered; no others
/// to one that has ended either, which may have been contained: by its connection, or an earlier
/// daemon.
struct ContainedCalls {
    let vault: Vault

    private static let questions: [String: Set<String>] = [
        Varlink.Workspace.name: [
            "Status", "ProtectionInfo", "WhyRefused", "Inspect", "ListAccounts", "Lock", "Unlock",
            "Watch",
        ],
        Varlink.Enrollment.name: ["List", "AllowedAccounts", "UserStatus"],
        Varlink.Identity.name: [
            "GetIdentity", "GetContainment", "GetUserInterfaceIdentity", "BlockedAccounts",
            "NoteRefusal", "AwaitSwitches", "AnswerSwitch",
        ],
        Varlink.Policy.name: Set(Varlink.Policy.Method.allCases.map(\.rawValue))
            .subtracting(["Import"]),
        Varlink.Protection.name: ["IsFileEncrypted", "DataInfo", "StringInfo"],
    ]

    func check(_ call: VarlinkCall, of interface: String) throws(VarlinkError) {
        guard Self.questions[interface]?.contains(call.method) != true else { return }
        let found = call.peer.asking {
            Callers(vault).found(forThread: $0, user: call.peer.uid)
        }
        let isContained = found.isContained || call.peer.isContained
        guard isContained || call.peer.hasEnded else { return }
        let reason: Message =
            isContained
            ? "a contained program of \(found.identity) may not call \(interface).\(call.method)"
            : "a program that has ended may not call \(interface).\(call.method)"
        let next = "run it in a shell that is not contained"
        Containment(vault).noteRefused(
            call.operation(on: interface), of: found.identity, by: call.peer.pid,
            user: call.peer.uid, "\(reason.english); \(next)")
        throw .refused(reason, next: next)
    }
}
