// `can print`: for one account, or for all of the user's at once.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

private let question = "isPrintingAllowed"

func canPrint(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.arguments.has("all") else {
        return try invocation.ask(
            Varlink.Policy.Ask(
                question: question, account: try invocation.arguments.text("account")))
    }
    for other in ["account", "workspace"] { try invocation.refuse([other], with: "all") }
    return try answerForAll().show(isJSON: invocation.isJSON)
}

/// The first no, else a yes. A print service asks so: it knows a job's user, but not which of the
/// user's accounts the document belongs to.
private func answerForAll() throws -> Varlink.Policy.Ask.Reply {
    var last = Varlink.Policy.Ask.Reply(
        decision: .init(allowed: true, reason: "you have no account in a workspace that runs"))
    for daemon in runningDaemons() {
        for account in try daemon.status().accounts where account.uid == geteuid() {
            last = try daemon.call(
                Varlink.Policy.Ask(question: question, account: account.label),
                about: "account '\(shown(account.label))'")
            guard last.decision.allowed else { return last }
        }
    }
    return last
}
