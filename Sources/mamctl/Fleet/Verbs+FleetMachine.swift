// Verbs of a machine that obeys an organisation.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let fleetMachineVerbs: [Verb] = [
    Verb(
        name: "fleet join", summary: "Obey an organisation's signed documents only",
        usage: ["CODE|ROOT", ["--wait"], ["--fingerprint"], [.many("DOCUMENT", most: 999)]],
        options: [
            Option(
                name: "fingerprint", value: "HEX",
                help: "the root's, which the organisation tells by another way than ROOT"),
            Option(
                name: "wait", value: "SECONDS",
                help: "after CODE, for the administrator to let this machine in; 30"),
            .workspace,
        ],
        examples: [
            "mamctl fleet join mamd1:eyJ…", "mamctl fleet join - < code",
            "mamctl fleet join contoso.root --fingerprint 3f0c…",
            "mamctl fleet join contoso.root level2.signed time.signed --fingerprint 3f0c…",
        ],
        statuses: daemonStatuses + [.notFound, .refused], run: joinFleet),
    Verb(
        name: "fleet leave", summary: "Leave the organisation, once no account is left",
        options: [.workspace],
        examples: ["mamctl fleet leave", "mamctl fleet leave --workspace Work"],
        statuses: daemonStatuses + [.refused], run: leaveFleet),
    Verb(
        name: "fleet deliver", summary: "Hand signed documents to the daemon",
        usage: [.many("DOCUMENT", most: 1000)], options: [.workspace],
        examples: [
            "mamctl fleet deliver level2.signed", "mamctl fleet deliver /media/stick/*.signed",
        ],
        statuses: daemonStatuses + [.refused], run: deliverDocuments),
    Verb(
        name: "fleet show", summary: "Show the organisation, and which of its documents are here",
        options: [.workspace],
        examples: ["mamctl fleet show", "mamctl fleet show --json | jq .organization.problem"],
        statuses: daemonStatuses, run: showFleet),
]
