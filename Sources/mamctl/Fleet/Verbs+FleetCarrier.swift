// Verbs that run an engine, admit machines and send documents; on files alone.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let fleetCarrierVerbs: [Verb] = fleetEngineVerbs + fleetAdmissionVerbs + fleetPushVerbs

private let fleetEngineVerbs: [Verb] = [
    Verb(
        name: "fleet engine", summary: "Make the keys of an engine, and files for its servers",
        usage: [.word("init", "renew"), ["--server"], ["--authority"], ["--organization"]],
        options: [
            Option(
                "server", value: "HOST[:PORT]", repeats: true,
                "a NATS server; repeat for a cluster (default port: 4222)"),
            Option(
                "replicas", value: "N",
                "servers that have each message (default: 1, or 3 of three and more)"),
            Option("https", value: "URL", "where a web server has the bundles, too"),
            Option(
                "server-directory", value: "DIR",
                "where a server's files will be (default: /etc/mamd-engine)"),
            Option(
                "store", value: "DIR",
                "where a server stores messages (default: /var/lib/mamd-engine)"),
            Option(
                "authority", value: "new|use",
                "of renew: make the next TLS authority, or use the one that machines know by now"),
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet engine init --server nats.contoso.com",
            "mamctl fleet engine init --server n1.contoso.com --server n2.contoso.com"
                + " --server n3.contoso.com",
            "mamctl fleet engine renew --https https://files.contoso.com/mamd",
            "mamctl fleet engine renew --authority new",
        ],
        statuses: fleetStatuses, run: makeEngine)
]

private let fleetAdmissionVerbs: [Verb] = [
    Verb(
        name: "fleet invite", summary: "Make a one-time code that lets a machine ask for admission",
        usage: [["--note"], ["--group"], ["--expires"], ["--count", "-o"], ["--qr"], ["--push"]],
        options: [
            Option(
                "note", value: "TEXT", repeats: true,
                "for whom it is; names the machine. Repeat for more codes"),
            .group,
            .expires("7"),
            Option("count", value: "N", "so many codes (default: 1)"),
            Option(
                "output", short: "o", value: "DIR",
                "write each to a file of its own there, for the owner alone"),
            Option("qr", "draw it too, with qrencode: on the screen, or as PNG in DIR"),
            Option("push", "send the organisation's documents first, with mamfleet"),
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet invite --note \"Ann's laptop\" --group sales --qr",
            "mamctl fleet invite --group lab --count 30 -o codes --expires 30",
            "mamctl fleet invite --push --note pc-1 --note pc-2 -o codes",
        ],
        statuses: fleetStatuses, run: inviteMachines),
    Verb(
        name: "fleet admit", summary: "Show who asks for admission, and let them in",
        usage: [[.many("INVITATION")], ["--key", ["--root"]], ["--exchange"], ["--yes"]],
        options: [
            Option("key", value: "KEY", "sign the memberships with this policy key"),
            .rootOfDirectory,
            Option(
                "name", value: "NAME",
                "call it so (default: its invitation's note, else its host name)"),
            Option("exchange", "get the requests first, and send the answers, with mamfleet"),
            .yes, .passfile, .extpass, .organizationDirectory,
        ],
        examples: [
            "mamctl fleet admit --key ann.key",
            "mamctl fleet admit 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --key ann.key --yes",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: admitMachines),
    Verb(
        name: "fleet revoke", summary: "Let a machine, or an open invitation, in no more",
        usage: [.many("MACHINE|INVITATION"), ["--reason"], ["--yes"]],
        options: [
            Option("reason", value: "TEXT", "for the register"), .yes, .organizationDirectory,
        ],
        examples: [
            "mamctl fleet revoke ann-laptop --reason lost",
            "mamctl fleet revoke 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --yes",
        ],
        statuses: fleetStatuses, run: revokeMachines),
    Verb(
        name: "fleet readmit", summary: "Let a machine in again that was revoked",
        usage: ["MACHINE", ["--yes"]], options: [.yes, .organizationDirectory],
        examples: [
            "mamctl fleet readmit ann-laptop",
            "mamctl fleet readmit 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --yes",
        ],
        statuses: fleetStatuses, run: readmitMachine),
    Verb(
        name: "fleet retire", summary: "Sign orders to wipe a machine's accounts, and to leave",
        usage: ["MACHINE", "--key", ["--expires"], ["--yes"], ["--force"]],
        options: [
            .orderKey, .expires("366"), .yes, .passfile, .extpass, .organizationDirectory,
            .replace,
        ],
        examples: [
            "mamctl fleet retire ann-laptop --key ann.key",
            "mamctl fleet retire 0f1e2d3c4b5a69788796a5b4c3d2e1f0 --key ann.key --yes --json",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: retireMachine),
    Verb(
        name: "fleet withdraw", summary: "Take orders back that no machine has obeyed",
        usage: [.many("FILE|NONCE"), "--key", ["--yes"]],
        options: [.orderKey, .yes, .passfile, .extpass, .organizationDirectory],
        examples: [
            "mamctl fleet withdraw orders/wipe.json --key ann.key",
            "mamctl fleet withdraw 0f1e2d3c --key ann.key --yes",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: withdrawOrders),
]

private let fleetPushVerbs: [Verb] = [
    Verb(
        name: "fleet push", summary: "Sign what changed in a directory of policies, and send it",
        usage: [
            .one("DIR", isRequired: false), ["--key", ["--rings"], ["--prune"]], ["--root"],
            ["--next", ["--despite"], ["--wait"], ["--tolerate"]], ["--dry-run"], ["--yes"],
            ["--local"], ["--verbose"],
        ],
        options: [
            Option("key", value: "KEY", "the policy key's file"),
            .rootOfDirectory,
            Option("prune", "withdraw policies that DIR does not have"),
            Option("dry-run", "show what would change, and sign nothing"),
            Option("local", "sign, and do not send"), .verbose,
            Option(
                "rings", value: "SHARES",
                "sign steps, such as 5,25: percent of the machines, then all"),
            Option(
                "next", "send the next step, if the machines of this one are well; needs no key"),
            Option(
                "despite", value: "POLICY", repeats: true,
                "of --next: also if they are not; name each policy"),
            Option("wait", value: "TIME", "of --next: a step takes so long at least (default: 1d)"),
            Option(
                "tolerate", value: "N", "of --next: so many machines may be worse (default: 0)"),
            .expires("90"),
            .yes, .passfile, .extpass, .organizationDirectory,
        ],
        examples: [
            "mamctl fleet push policies --key ann.key",
            "mamctl fleet push policies --key ann.key --rings 5,25",
            "mamctl fleet push --next --json",
            "mamctl fleet push policies --key ann.key --prune --dry-run",
        ],
        statuses: fleetStatuses + [.attention, .wrongPassphrase], run: pushPolicies),
    Verb(
        name: "fleet restore", summary: "Sign a policy again that was replaced",
        usage: ["POLICY", "--key", ["--serial"], ["--expires"], ["--yes"]],
        options: [
            Option("key", value: "KEY", "the policy key's file"),
            Option("serial", value: "N", "the former one's (default: the newest that differs)"),
            .expires("90"), .yes, .verbose, .passfile, .extpass, .organizationDirectory,
        ],
        examples: [
            "mamctl fleet restore level2.json --key ann.key",
            "mamctl fleet restore policy/group:lab/level2.json --serial 1780000000 --key ann.key",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: restorePolicy),
    Verb(
        name: "fleet bundle", summary: "Write what machines fetch, for a web server or a stick",
        usage: ["-o", ["--organization"]],
        options: [
            Option(
                "output", short: "o", value: "DIR",
                "bundles there are replaced if they differ; other files stay"),
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet bundle -o /srv/www/mamd", "mamctl fleet bundle -o /media/stick/mamd",
        ],
        statuses: fleetStatuses, run: writeBundles),
]

extension Option {
    fileprivate static let yes = Option("yes", "do not ask")
    fileprivate static let verbose = Option("verbose", "show the rules that are not enforced, too")
    fileprivate static let orderKey = Option("key", value: "KEY", "the order key's file")
    fileprivate static let rootOfDirectory = Option(
        "root", value: "ROOT", "the organisation's root (default: root.json)")
    fileprivate static let group = Option(
        "group", value: "G", repeats: true, "a group of the machine's; repeat for more")
}
