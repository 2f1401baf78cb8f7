// `compliance --intune`: what Intune's custom compliance asks about.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

let complianceVerbs: [Verb] = [
    Verb(
        name: "compliance", summary: "Print what Intune's custom compliance can check",
        usage: ["--intune", ["--workspace"]],
        options: [
            Option("intune", "one line of JSON within a second, and status 0 whatever it says"),
            .workspace,
        ],
        examples: [
            "mamctl compliance --intune", "mamctl compliance --intune | jq .MamdCompliant",
        ],
        statuses: [.success, .usage], run: showCompliance)
]

/// Intune takes another status than 0 for a script that failed, and reports no setting at all.
func showCompliance(_ invocation: Invocation) throws -> ExitStatus {
    guard invocation.arguments.has("intune") else { throw invocation.misuse("--intune is needed") }
    // A call to a daemon that hangs would wait for longer than an agent does.
    let deadline = Deadline(milliseconds: 800)
    let found = value(by: deadline, named: "compliance") {
        Result { try ComplianceFacts(of: try invocation.daemon()) }
    }
    var facts = ComplianceFacts()
    switch found {
    case .success(let known): facts = known
    case .failure(let error): Failure(any: error).report(isJSON: false)
    case nil:
        Failure(
            .unreachable, "the daemon did not answer in time: nothing is known",
            next: "mamctl status"
        ).report(isJSON: false)
    }
    printJSON(facts.json, onOneLine: true)
    return .success
}
