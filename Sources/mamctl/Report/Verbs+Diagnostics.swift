// Verbs for diagnosis.

internal import MAMAudit
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

let diagnosticsVerbs: [Verb] = [
    Verb(
        name: "audit", summary: "Show recorded events: refusals, locks, wipes, damage",
        usage: [["--since"], ["--account"], ["--event"], ["--follow"]],
        options: [
            Option(
                name: "since", value: "TIME",
                help: "only events since TIME: -30m, -2h, -1d, or 2026-05-04T03:02:01Z"),
            Option(name: "before", value: "TIME", help: "only events before TIME"),
            Option(name: "account", value: "ACCOUNT", help: "only events of this account"),
            Option(
                name: "event", value: "EVENT", known: LogMessage.allCases.map(\.rawValue),
                help: "only events of this kind, such as refused, locked, wiped or damaged"),
            Option(name: "limit", value: "N", help: "only the newest N events"),
            Option(name: "follow", short: "f", help: "keep running and print new events"),
            .workspace,
        ],
        examples: [
            "mamctl audit --since -1h", "mamctl audit --event refused --follow --json",
        ],
        statuses: daemonStatuses + [.refused], run: showAudit),
    Verb(
        name: "diagnostics", summary: "Collect information for a support request",
        usage: [["-o", ["--force"]], ["--with-names"]],
        options: [
            Option(
                name: "output", short: "o", value: "FILE",
                help: "write the archive to FILE (default: mamd-diagnostics.tar.gz)"),
            Option(name: "force", help: "replace FILE if it exists"),
            Option(
                name: "with-names",
                help: "include the names of accounts, files, programs and policies"),
            .workspace,
        ],
        examples: ["mamctl diagnostics -o ~/mamd.tar.gz", "mamctl diagnostics --json | less"],
        statuses: [.success, .failure, .usage], run: diagnose),
]
