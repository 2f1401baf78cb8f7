// Verbs of an administrator who looks at all machines.

internal import MAMAudit
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

let fleetViewVerbs: [Verb] = [
    Verb(
        name: "fleet status", summary: "Show the machines that need attention, and sums",
        usage: [
            ["--stale"], .oneOf("--problem", "--all", "--machine"), ["--check"], ["--csv"],
        ],
        options: [
            .organizationDirectory, .stale, .machine,
            Option("problem", "those machines only whose check-ins fail"),
            Option("all", "all machines, not only those that need attention"),
            Option("check", "status 10 if anything needs attention"),
            Option("csv", "for a spreadsheet, with the columns of Intune's app protection report"),
        ],
        examples: [
            "mamctl fleet status --organization ~/contoso",
            "mamctl fleet status --machine pc-17 --json | jq .machines[0].attention",
            "mamctl fleet status --all --csv > machines.csv",
        ],
        statuses: fleetStatuses + [.attention], run: showFleetStatus),
    Verb(
        name: "fleet diff", summary: "Show which machines lack which signed documents",
        usage: [["--machine"]], options: [.organizationDirectory, .machine],
        examples: ["mamctl fleet diff", "mamctl fleet diff --machine pc-17"],
        statuses: fleetStatuses, run: showFleetDifferences),
    Verb(
        name: "fleet orders", summary: "Show orders: who signed them, and who obeyed",
        usage: [["--machine"]], options: [.organizationDirectory, .machine],
        examples: [
            "mamctl fleet orders", "mamctl fleet orders --json | jq '.[] | select(.missing > 0)'",
        ],
        statuses: fleetStatuses, run: showFleetOrders),
    Verb(
        name: "fleet log", summary: "Show what was signed here, and check the log",
        usage: [.oneOf("--verify", "--add"), ["--engine"], ["--yes"]],
        options: [
            .organizationDirectory,
            Option("verify", "check that the log is whole, and has all documents; 10 if not"),
            Option("engine", "of --verify: and those that the engine has, with mamfleet"),
            Option("add", "add the documents here that it lacks"),
            Option("yes", "do not ask"),
        ],
        examples: ["mamctl fleet log", "mamctl fleet log --verify --engine"],
        statuses: fleetStatuses + [.attention, .unreachable], run: showFleetLog),
    Verb(
        name: "fleet page", summary: "Write a page about all machines",
        usage: [.option("-o", "FILE"), ["--stale"], ["--force"]],
        options: [
            .output("the page, HTML, for this user only; - is standard output"),
            .organizationDirectory, .stale, .replace,
        ],
        examples: [
            "mamctl fleet page -o fleet.html",
            "mamctl fleet page -o /srv/fleet/index.html --force --organization /srv/contoso",
        ],
        statuses: fleetStatuses, run: writeFleetPage),
    Verb(
        name: "fleet metrics", summary: "Print sums of all machines as OpenMetrics text",
        usage: [[.option("-o", "FILE")], ["--stale"], ["--force"]],
        options: [
            .output(
                "a textfile collector's file, which is replaced at once; - is standard output"),
            .organizationDirectory, .stale, .replace,
        ],
        examples: [
            "mamctl fleet metrics",
            "mamctl fleet metrics -o /var/lib/prometheus/node-exporter/mamd.prom --force",
        ],
        statuses: fleetStatuses, run: writeFleetMetrics),
    Verb(
        name: "fleet recovery", summary: "Check the accounts' recovery records, or take one",
        usage: [
            .word("check", "pull"), ["MACHINE", "ACCOUNT", .option("-o", "FILE")],
            ["--recovery-key"], ["--all"],
        ],
        options: [
            .organizationDirectory, .machine,
            Option(
                "recovery-key", value: "FILE",
                "open each record, and check that it has the keys in use"),
            .passfile, .extpass,
            Option("all", "all records, not only those with something wrong"),
            .output("the record, as account import takes it"), .replace,
        ],
        examples: [
            "mamctl fleet recovery check --recovery-key org.key",
            "mamctl fleet recovery pull pc-17 ann@contoso.com -o ann.keys",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: recoverFromFleet),
    Verb(
        name: "fleet audit", summary: "Print what happened on the machines, by time",
        usage: [["--machine"], ["--event"], ["--since"], ["--follow"]],
        options: [
            .organizationDirectory,
            Option("machine", value: "NAME", "this machine only: its id or name"),
            Option(
                "event", value: "EVENT", known: LogMessage.allCases.map(\.rawValue),
                "only this event"),
            Option("since", value: "TIME", "RFC 3339, or such as -2h"),
            Option("follow", "go on as more arrives"),
        ],
        examples: [
            "mamctl fleet audit --since -1d", "mamctl fleet audit --event wiped --follow --json",
        ],
        statuses: fleetStatuses, run: showFleetAudit),
]
