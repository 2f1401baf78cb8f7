// Verbs for finding out what happened.

internal import MAMSystem
internal import MAMWire

let diagnosticsVerbs: [Verb] = [
    Verb(
        name: "audit", summary: "print what happened: refusals, locks, wipes, damage",
        usage: "[--since TIME] [--account ACCOUNT] [--event EVENT] [--follow]",
        options: [
            Option(
                name: "since", value: "TIME",
                help: "not what was before: -30m, -2h, -1d, or 2026-05-04T03:02:01Z"),
            Option(name: "before", value: "TIME", help: "only what was before"),
            Option(name: "account", value: "ACCOUNT", help: "only what concerns this account"),
            Option(
                name: "event", value: "EVENT", known: LogMessage.allCases.map(\.rawValue),
                help: "only one kind, such as refused, locked, wiped or damaged"),
            Option(name: "limit", value: "N", help: "no more than the newest N that are kept"),
            Option(name: "follow", short: "f", help: "go on with what happens from now on"),
            .workspace,
        ],
        examples: [
            "mamctl audit --since -1h", "mamctl audit --event refused --follow --json",
        ],
        statuses: daemonStatuses + [.refused], run: showAudit),
    Verb(
        name: "diagnostics", summary: "collect what somebody who helps needs to know",
        usage: "[-o FILE [--force]] [--with-names]",
        options: [
            Option(
                name: "output", short: "o", value: "FILE",
                help: "write this archive; else mamd-diagnostics.tar.gz"),
            Option(name: "force", help: "replace it if it exists"),
            Option(
                name: "with-names",
                help: "tell the names of accounts, files, programs and policies too"),
            .workspace,
        ],
        examples: ["mamctl diagnostics -o ~/mamd.tar.gz", "mamctl diagnostics --json | less"],
        statuses: [.success, .failure, .usage], run: diagnose),
]
