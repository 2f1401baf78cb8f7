// clientcheck SCENARIO DIRECTORY OUTSIDE PASSFILE: the library on a real workspace. DIRECTORY lies
// in its mount.

internal import Glibc
internal import MAMClient

let words = Array(CommandLine.arguments.dropFirst())
guard words.count == 4 else { exit(2) }

do {
    let scenarios = Scenarios(
        workspace: try Workspace(containing: .path(words[1])), directory: words[1],
        outside: words[2], passfile: words[3])
    // The socket hands out what belongs to the identity that the process works for.
    if ["protecting", "copies", "kept", "data"].contains(words[0]) {
        try scenarios.policies.setProcessAccountId(ann)
    }
    switch words[0] {
    case "finding": try scenarios.finding()
    case "only": try scenarios.only()
    case "protecting": try scenarios.protecting()
    case "copies": try scenarios.copies()
    case "kept": try scenarios.kept()
    case "data": try scenarios.data()
    case "identities": try scenarios.identities()
    case "restart": try scenarios.restart()
    case "threads": try scenarios.threads()
    case "policy": try scenarios.policy()
    case "configuration": try scenarios.configuration()
    case "enrollment": try scenarios.enrollment()
    case "newKeys": try scenarios.newKeys()
    case "watching": try scenarios.watching()
    default: exit(2)
    }
    print("\(words[0]): as it should be")
} catch {
    print("\(words[0]): \(error)")
    exit(1)
}
