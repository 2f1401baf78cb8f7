// Verbs of an organisation that signs documents.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMWire

let fleetVerbs: [Verb] =
    fleetKeyVerbs + fleetRootVerbs + fleetDocumentVerbs + fleetCarrierVerbs + fleetPeopleVerbs

let fleetStatuses: [ExitStatus] = [
    .success, .failure, .usage, .notFound, .refused, .damaged,
]

private let fleetKeyVerbs: [Verb] = [
    Verb(
        name: "fleet keygen", summary: "Create a signing key for an organisation's documents",
        usage: ["-o", .oneOf("--passfile", "--extpass", "--no-passphrase")],
        options: [
            Option("output", short: "o", value: "FILE", "file for the private key"),
            .passfile, .extpass,
            Option("no-passphrase", "store the key unsealed: FILE alone signs"),
        ],
        examples: [
            "mamctl fleet keygen -o ann.key", "mamctl fleet keygen -o ann.key --passfile pin",
        ],
        statuses: [.success, .failure, .usage, .notFound, .refused], run: makeSigningKey),
    Verb(
        name: "fleet key", summary: "Show the id and the public half of a signing key",
        usage: ["FILE|PUBLIC"],
        examples: ["mamctl fleet key ann.key", "mamctl fleet key --json ann.key"],
        statuses: [.success, .failure, .usage, .notFound, .damaged], run: showSigningKey),
    Verb(
        name: "fleet passphrase", summary: "Change a signing key's passphrase",
        usage: [
            "FILE", .oneOf("--passfile", "--extpass"),
            .oneOf("--new-passfile", "--new-extpass", "--no-passphrase"),
        ],
        options: [
            .passfile, .extpass, .newPassfile, .newExtpass,
            Option("no-passphrase", "store the key unsealed: FILE alone signs"),
        ],
        examples: [
            "mamctl fleet passphrase ann.key",
            "mamctl fleet passphrase ann.key --passfile old --new-passfile new",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: changeKeyPassphrase),
]

/// Options of `fleet init` that count with `--guided` alone.
let guidedOptions = [
    "server", "first-policy", "passfile", "extpass", "no-passphrase", "units", "organization",
]

private let fleetRootVerbs: [Verb] = [
    Verb(
        name: "fleet init", summary: "Write an organisation's first root, for its keys to sign",
        usage: [
            .oneOf("-o", "--guided"), "--name", "--root", "--policy", "--order", "--time",
            ["--server"], ["--first-policy"], ["--units"],
        ],
        options: [
            .newDocument("ROOT"),
            Option("name", value: "NAME", "the organisation's name, for people"),
            Option("root", value: "PUB", repeats: true, "may change the keys; repeat for more"),
            Option("policy", value: "PUB", repeats: true, "may sign policies and memberships"),
            Option(
                "order", value: "PUB", repeats: true, "may sign orders; two are needed at least"),
            Option("time", value: "PUB", repeats: true, "may sign the time"),
            Option(
                "root-threshold", value: "N",
                "how many root keys must sign (default: 2, or 1 if there is one)"),
            Option(
                "order-threshold", value: "N",
                "how many order keys must sign what destroys data (default: 2)"),
            .replace,
            Option(
                "guided",
                "ask for all; make keys, a signed root, an engine and a first policy. Keys are"
                    + " files, too"),
            Option(
                "server", value: "HOST[:PORT]", repeats: true, "a NATS server; repeat for a cluster"
            ),
            Option("first-policy", value: "FILE", "sign this policy for all machines (-: none)"),
            .passfile, .extpass,
            Option("no-passphrase", "store new keys unsealed"),
            Option(
                "units", value: "yes|no", choices: ["yes", "no"],
                "have units of yours sign the time and send what is new"),
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet init -o root.json --name Contoso --root $ANN --root $BOB --policy $ANN"
                + " --order $ANN --order $BOB --time $SERVER",
            "mamctl fleet init -o root.json --name Lab --root $ANN --policy $ANN --order $ANN"
                + " --order $BOB --time $ANN",
            "mamctl fleet init --guided",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: makeRoot),
    Verb(
        name: "fleet rotate", summary: "Write the next root, with other keys or thresholds",
        usage: ["ROOT", "-o", ["--add"], ["--remove"], ["--threshold"], ["--scope"]],
        options: [
            .newDocument("NEW"),
            Option("add", value: "ROLE=PUB", "give a key a role; repeat for more"),
            Option("remove", value: "ROLE=ID", "take a role from a key"),
            Option("threshold", value: "ROLE=N", "how many keys of a role must sign"),
            Option(
                "scope", value: "ID=GROUPS", repeats: true,
                "let a policy key sign policies for group:A,group:B alone, or for all"),
            Option("name", value: "NAME", "the organisation's new name"), .replace,
        ],
        examples: [
            "mamctl fleet rotate root.json -o root-2.json --add policy=$EVE",
            "mamctl fleet rotate root.json -o root-2.json --remove order=$LOST --add order=$EVE",
        ],
        statuses: fleetStatuses, run: rotateRoot),
]

private let fleetDocumentVerbs: [Verb] = [
    Verb(
        name: "fleet sign", summary: "Sign a policy, a membership or settings",
        usage: [.one("FILE", isRequired: false), "--root", "--key", "--kind", "--audience", "-o"],
        options: [
            .newDocument("OUT"), .root, .key,
            Option(
                "kind", value: "KIND", choices: ["policy", "membership", "settings"],
                "policy, membership or settings"),
            Option("audience", value: "AUDIENCE", "all, group:NAME or machine:ID"),
            Option("name", value: "NAME", "of the document (default: the file's)"),
            .serial, .expires("90"),
            Option("withdraw", "take back the policy or settings of that audience and name"),
            .passfile, .extpass, .replace,
        ],
        examples: [
            "mamctl fleet sign level2.json --root root.json --key ann.key --kind policy"
                + " --audience all -o signed/level2.json",
            "mamctl fleet sign --withdraw --name level2.json --root root.json --key ann.key"
                + " --kind policy --audience all -o signed/level2.json --force",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: signDocument),
    Verb(
        name: "fleet order", summary: "Sign an order that a machine obeys once",
        usage: [
            .one("ORDER", of: Order.Action.signedAlone.map(\.rawValue)), "--root", "--key",
            "--machine", ["--account"], "-o",
        ],
        options: [
            .newDocument("OUT"), .root, .key,
            Option("machine", value: "NAME", "the machine: its id, or its name in the register"),
            Option(
                "account", value: "NAME",
                "the account to wipe or reset: its id, or its name there"),
            Option(
                "recovery-key", value: "FILE", "reset: opens the account's recovery record"),
            Option("key-passfile", value: "FILE", "read the recovery key's passphrase from FILE"),
            Option("key-extpass", value: "CMD", "read it from a command"),
            Option("code", value: "CODE", "reset: what the person has read to you"),
            Option("yes", "reset: do not ask for the account's name"),
            Option(
                "machines", value: "LIST", "a file of MACHINE [ACCOUNT] lines; OUT is a directory"),
            Option("confirm", value: "N", "confirm more than 10 without a terminal"),
            .expires("3 of a reset, 366 of others that need two signatures, else 30"), .passfile,
            .extpass, .replace,
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet order wipe --root root.json --key ann.key --machine pc-17"
                + " --account ann@contoso.com -o wipe.json",
            "mamctl fleet order wipe --root root.json --key ann.key --machines lost.txt -o orders",
            "mamctl fleet order reset --root root.json --key ann.key --machine pc-17"
                + " --account ann@contoso.com --recovery-key org.key -o reset.json",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: signOrders),
    Verb(
        name: "fleet time", summary: "Sign the time, and which documents there are",
        usage: ["DIR", "--root", "--key", "-o"],
        options: [
            .newDocument("OUT"), .root, .key, .expires("1, at most 2"), .serial, .passfile,
            .extpass, .replace,
        ],
        examples: [
            "mamctl fleet time signed --root root.json --key server.key -o time.json",
            "mamctl fleet time signed --root root.json --key server.key -o time.json --force",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: signTime),
    Verb(
        name: "fleet cosign", summary: "Show documents and add a signature",
        usage: [.many("FILE"), "--key", ["--root"], ["--yes"]],
        options: [
            .key, .root, Option("yes", "sign without asking"), .passfile, .extpass,
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet cosign root.json --key ann.key",
            "mamctl fleet cosign orders/*.json --key bob.key --root root.json",
        ],
        statuses: fleetStatuses + [.wrongPassphrase], run: cosignDocuments),
    Verb(
        name: "fleet verify", summary: "Show documents, who signed them, and what is wrong",
        usage: [.many("FILE"), ["--root"], ["--previous"]],
        options: [.root, Option("previous", value: "ROOT", "the root that a root replaces")],
        examples: [
            "mamctl fleet verify signed/*.json --root root.json",
            "mamctl fleet verify root-2.json --previous root.json",
        ],
        statuses: fleetStatuses, run: verifyDocuments),
]

extension Option {
    fileprivate static let root = Option(
        "root", value: "ROOT", "the organisation's root, with its signatures")
    fileprivate static let key = Option(
        "key", value: "KEY", "the signing key's file")
    fileprivate static let serial = Option(
        "serial", value: "N", "the highest counts (default: the time, in seconds)")
    static let replace = Option("force", "replace the file if it exists")

    fileprivate static func newDocument(_ value: String) -> Option {
        Option("output", short: "o", value: value, "file to create")
    }

    static func expires(_ usual: String) -> Option {
        Option("expires", value: "DAYS", "after so many days (default: \(usual))")
    }
}
