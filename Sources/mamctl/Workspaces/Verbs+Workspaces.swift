// Verbs for the workspaces of this machine.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let moreWorkspaceVerbs: [Verb] = [
    Verb(
        name: "workspace list", summary: "List the workspaces of this machine, mounted or not",
        examples: ["mamctl workspace list", "mamctl workspace list --json"],
        statuses: [.success, .usage], run: listWorkspaces),
    Verb(
        name: "workspace rename", summary: "Give a workspace that is not mounted another name",
        usage: ["OLD", "NEW"],
        examples: [
            "mamctl workspace rename work contoso", "mamctl workspace rename --json work contoso",
        ],
        statuses: [.success, .failure, .usage, .notFound, .refused], run: renameWorkspace),
    Verb(
        name: "workspace remove",
        summary: "Remove a workspace from this machine, but not its files",
        usage: ["NAME", ["--confirm"]],
        options: [
            Option(
                "confirm", value: "NAME",
                "confirm the loss of keys or sealed files without a terminal")
        ],
        examples: [
            "mamctl workspace remove work",
            "mamctl workspace remove work --confirm work < /dev/null",
        ],
        statuses: [.success, .failure, .usage, .notFound, .refused], run: removeWorkspace),
    Verb(
        name: "leave",
        summary: "Copy all that you can open of a backing directory to ordinary files",
        usage: ["DIR", "DEST"],
        options: [
            Option("verbose", "name each file that is left out for its account's sake"),
            .workspace,
        ],
        examples: [
            "mamctl leave ~/.work ~/files", "mamctl leave /media/ann/backup/.work ~/files --json",
        ],
        statuses: fileStatuses, run: leaveWorkspace),
    Verb(
        name: "wait", summary: "Wait until a workspace is mounted or an account unlocked",
        usage: [["ACCOUNT"], .oneOf("--mounted", "--unlocked"), ["--timeout"]],
        options: [
            Option("mounted", "wait for a daemon that answers"),
            Option("unlocked", "wait for an unlocked account (the default)"),
            Option(
                "timeout", value: "SECONDS",
                "give up after SECONDS; exit with 8 if not mounted, 5 if locked"),
            .workspace,
        ],
        examples: [
            "mamctl wait --unlocked && restic backup ~/Work",
            "mamctl wait --mounted --timeout 30 --workspace work",
        ],
        statuses: daemonStatuses + [.windowClosed], run: waitForWorkspace),
]
