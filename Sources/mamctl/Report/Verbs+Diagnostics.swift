// Verbs that show a workspace as a whole, and verbs for diagnosis.

internal import MAMAudit
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

let overviewVerbs: [Verb] = [
    Verb(
        name: "top", summary: "Show rates, windows and events of a workspace live",
        usage: [["--interval"], ["--once"]],
        options: [
            Option("interval", value: "SECONDS", "time between updates (default: 1)"),
            Option("once", "print once and exit; needs no terminal"), .workspace,
        ],
        examples: ["mamctl top", "mamctl top --once --json --workspace work"],
        statuses: daemonStatuses, run: top),
    Verb(
        name: "report", summary: "Write a report on files, windows, policy and checks",
        usage: [.oneOf(.all("--html", ["--days"], ["--force"]), "--me")],
        options: [
            Option("html", value: "FILE", "write a self-contained page to FILE"),
            Option("days", value: "N", "show the windows of the last N days (default: 7)"),
            Option("force", "replace FILE if it exists"),
            Option("me", "show your accounts, what your organisation is told, and whom to ask"),
            .workspace,
        ],
        examples: [
            "mamctl report --html work.html", "mamctl report --json --days 30",
            "mamctl report --me",
        ],
        statuses: daemonStatuses + [.refused], run: report),
]

let diagnosticsVerbs: [Verb] = [
    Verb(
        name: "audit", summary: "Show recorded events: refusals, locks, wipes, damage",
        usage: [["--since"], ["--account"], ["--event"], ["--follow"]],
        options: [
            Option(
                "since", value: "TIME",
                "only events since TIME: -30m, -2h, -1d, or 2026-05-04T03:02:01Z"),
            Option("before", value: "TIME", "only events before TIME"),
            Option("account", value: "ACCOUNT", "only events of this account"),
            Option(
                "event", value: "EVENT", known: LogMessage.allCases.map(\.rawValue),
                "only events of this kind, such as refused, locked, wiped or damaged"),
            Option("limit", value: "N", "only the newest N events"),
            Option("follow", short: "f", "keep running and print new events"),
            .workspace,
        ],
        examples: ["mamctl audit --since -1h", "mamctl audit --event refused --follow --json"],
        statuses: daemonStatuses + [.refused], run: showAudit),
    Verb(
        name: "diagnostics", summary: "Collect information for a support request",
        usage: [["-o", ["--force"]], ["--with-names"]],
        options: [
            Option(
                "output", short: "o", value: "FILE",
                "write the archive to FILE (default: mamd-diagnostics.tar.gz)"),
            Option("force", "replace FILE if it exists"),
            Option("with-names", "include the names of accounts, files, programs and policies"),
            .workspace,
        ],
        examples: ["mamctl diagnostics -o ~/mamd.tar.gz", "mamctl diagnostics --json | less"],
        statuses: [.success, .failure, .usage], run: diagnose),
]
