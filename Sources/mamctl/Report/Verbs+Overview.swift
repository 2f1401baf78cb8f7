// Verbs that show a workspace as a whole.

internal import MAMCommandLine
internal import MAMModel
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
        usage: ["--html", ["--days"], ["--force"]],
        options: [
            Option("html", value: "FILE", "write a self-contained page to FILE"),
            Option("days", value: "N", "show the windows of the last N days (default: 7)"),
            Option("force", "replace FILE if it exists"), .workspace,
        ],
        examples: ["mamctl report --html work.html", "mamctl report --json --days 30"],
        statuses: daemonStatuses + [.refused], run: report),
]
