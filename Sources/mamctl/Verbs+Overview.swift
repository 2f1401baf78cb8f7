// Verbs for looking at a workspace as a whole.

internal import MAMWire

let overviewVerbs: [Verb] = [
    Verb(
        name: "top", summary: "watch a workspace live: rates, windows, events",
        usage: "[--interval SECONDS] [--once]",
        options: [
            Option(name: "interval", value: "SECONDS", help: "draw so often; else every second"),
            Option(name: "once", help: "print one look and end; needs no terminal"), .workspace,
        ],
        examples: ["mamctl top", "mamctl top --once --json --workspace work"],
        statuses: daemonStatuses, run: top),
    Verb(
        name: "report", summary: "write a page on files, windows, policy and checks",
        usage: "--html FILE [--days N] [--force]",
        options: [
            Option(name: "html", value: "FILE", help: "write one page that needs nothing else"),
            Option(name: "days", value: "N", help: "how far back windows are shown; else 7"),
            Option(name: "force", help: "replace FILE if it exists"), .workspace,
        ],
        examples: ["mamctl report --html work.html", "mamctl report --json --days 30"],
        statuses: daemonStatuses + [.refused], run: report),
]
