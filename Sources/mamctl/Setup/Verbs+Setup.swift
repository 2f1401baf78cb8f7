// The verb to begin with.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

let setupVerbs: [Verb] = [
    Verb(
        name: "setup", summary: "Create, mount and open a workspace, with a few questions",
        usage: [
            ["MOUNTPOINT", ["ACCOUNT"]], ["--backing"], ["--adopt"], ["--name"],
            .oneOf("--passfile", "--extpass", "--no-passphrase", "--no-account"),
            .oneOf("--recovery", "--no-recovery"), ["--keyring"], ["--no-service"],
        ],
        options: [
            Option(
                name: "backing", value: "DIR",
                help: "the backing directory (default: MOUNTPOINT's, with a dot)"),
            .adopt, .smallBlocks,
            Option(
                name: "name", value: "NAME",
                help: "name of the workspace (default: MOUNTPOINT's)"),
            Option(
                name: "settings", value: "FILE",
                help: "copy the settings from FILE (default: built-in ones)"),
            .passfile, .extpass,
            Option(name: "no-passphrase", help: "protect the keys with this device only"),
            Option(name: "no-account", help: "register no account"),
            Option(
                name: "recovery", value: "FILE",
                help: "write the account's keys to FILE, under a passphrase"),
            Option(name: "no-recovery", help: "write no such file, and do not ask"),
            Option(
                name: "export-passfile", value: "FILE",
                help: "read that file's passphrase from FILE"),
            Option(name: "export-extpass", value: "CMD", help: "read it from a command"),
            Option(name: "keyring", help: "have GNOME's keyring unlock the account at login"),
            Option(name: "no-service", help: "mount now only, without systemd"),
            .deviceCode, .noBrowser,
        ],
        examples: [
            "mamctl setup",
            "mamctl setup ~/Work ann@contoso.com --passfile secret.txt --no-recovery",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: setUp)
]

extension Option {
    static let adopt = Option(
        name: "adopt", help: "accept a directory with files in it; nobody owns them")
    static let smallBlocks = Option(
        name: "small-blocks",
        help: "accept a file system on which a power cut may destroy files")
}
