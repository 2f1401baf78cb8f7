// Verbs for the workspaces of this machine, and for waiting for one.

internal import MAMWire

let moreWorkspaceVerbs: [Verb] = [
    Verb(
        name: "workspace list", summary: "the workspaces of this machine, mounted or not",
        usage: "", examples: ["mamctl workspace list", "mamctl workspace list --json"],
        statuses: [.success, .usage], run: listWorkspaces),
    Verb(
        name: "workspace remove", summary: "take a workspace from this machine; its files stay",
        usage: "NAME [--confirm NAME]", operands: 1...1,
        options: [
            Option(
                name: "confirm", value: "NAME",
                help: "where keys or sealed files are, without a terminal: the name once more")
        ],
        examples: [
            "mamctl workspace remove work",
            "mamctl workspace remove work --confirm work < /dev/null",
        ],
        statuses: [.success, .failure, .usage, .notFound, .refused], run: removeWorkspace),
    Verb(
        name: "wait", summary: "wait until a workspace is mounted, or an account unlocked",
        usage: "[ACCOUNT] [--mounted | --unlocked] [--timeout SECONDS]", operands: 0...1,
        options: [
            Option(name: "mounted", help: "for a daemon that answers"),
            Option(name: "unlocked", help: "for an account that is open; so without either"),
            Option(
                name: "timeout", value: "SECONDS", help: "give up then: 8 not mounted, 5 locked"),
            .workspace,
        ],
        examples: [
            "mamctl wait --unlocked && restic backup ~/Work",
            "mamctl wait --mounted --timeout 30 --workspace work",
        ],
        statuses: daemonStatuses + [.windowClosed], run: waitForWorkspace),
]
