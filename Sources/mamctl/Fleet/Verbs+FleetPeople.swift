// The verb that takes people and groups from a directory.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let fleetPeopleVerbs: [Verb] = [
    Verb(
        name: "fleet people", summary: "Sign who is in which group, as an LDAP directory has it",
        usage: ["--key", ["--root"], ["--leaving"], ["--dry-run"], ["--yes"]],
        options: [
            Option("key", value: "KEY", "the policy key's file"),
            Option("root", value: "ROOT", "the organisation's root (default: root.json)"),
            Option(
                "leaving", value: "GROUP=N", repeats: true,
                "so many people may leave this group (default: a tenth)"),
            Option("dry-run", "show what would change, and sign nothing"),
            Option("yes", "do not ask"), .expires("90"), .passfile, .extpass,
            .organizationDirectory,
        ],
        examples: [
            "mamctl fleet people --dry-run", "mamctl fleet people --key ann.key --leaving sales=40",
        ],
        statuses: fleetStatuses + [.unreachable, .attention, .wrongPassphrase], run: signPeople)
]
