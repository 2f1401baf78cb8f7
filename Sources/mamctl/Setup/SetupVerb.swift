// `setup`: from nothing to a mounted workspace with an unlocked account. Whatever it did is kept
// and found again by the next run.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import MAMWords

let setupVerbs: [Verb] = [
    Verb(
        name: "setup", summary: "Create, mount and open a workspace, with a few questions",
        usage: [
            ["MOUNTPOINT", ["ACCOUNT"]], ["--backing"], ["--adopt"], ["--name"],
            .oneOf("--passfile", "--extpass", "--no-passphrase", "--no-account"),
            .oneOf("--recovery", "--no-recovery"), ["--recovery-file"], ["--keyring"],
            ["--no-service"],
            ["--join", ["--wait"]],
        ],
        options: [
            Option(
                "backing", value: "DIR",
                "the backing directory (default: MOUNTPOINT's, with a dot)"),
            .adopt, .smallBlocks,
            Option("name", value: "NAME", "name of the workspace (default: MOUNTPOINT's)"),
            .settings,
            .passfile, .extpass, .noPassphrase,
            Option("no-account", "register no account"),
            Option(
                "recovery", value: "FILE",
                "write the account's keys to FILE, under a passphrase of its own"),
            Option("no-recovery", "write no keys, make no recovery words, and do not ask"),
            .recoveryFile,
            Option("export-passfile", value: "FILE", "read that file's passphrase from FILE"),
            Option("export-extpass", value: "CMD", "read it from a command"),
            Option("keyring", "have GNOME's keyring unlock the account at login"),
            Option("no-service", "mount now only, without systemd"),
            Option("join", value: "CODE|FILE|-", "join an organisation by its invitation"),
            .wait,
            .deviceCode, .noBrowser,
        ],
        examples: [
            "mamctl setup",
            "mamctl setup ~/Work ann@contoso.com --passfile secret.txt --no-recovery",
            "mamctl setup /srv/Work --no-account --join invitation.code",
        ],
        statuses: daemonStatuses + [.refused, .wrongPassphrase], run: setUp)
]

extension Option {
    static let settings = Option(
        "settings", value: "FILE", "copy the settings from FILE (default: built-in ones)")
    static let adopt = Option("adopt", "accept a directory with files in it; nobody owns them")
    static let smallBlocks = Option(
        "small-blocks", "accept a file system on which a power cut may destroy files")
}

func setUp(_ invocation: Invocation) throws -> ExitStatus {
    let settings = try readSettings(invocation.arguments.value("settings"))
    let usesKeyring = invocation.arguments.has("keyring")
    if usesKeyring { try checkKeyring(invocation) }
    let hasAccount = !invocation.arguments.has("no-account")
    if !hasAccount { try invocation.refuse(["recovery", "recovery-file"], with: "no-account") }
    let offer = try RecoveryOffer(invocation, goesOn: true)
    let joining = try SetupJoin(invocation)
    let answers = try SetupAnswers(invocation)
    var done = SetupResult(answers: answers)
    let workspace = SetupWorkspace(answers: answers)
    done.isNew = try workspace.create(settings: settings, invocation.arguments) {
        guard hasAccount else { return }
        try offer.refuseKept()
        let account = try SetupAccountAnswers(invocation, in: answers, servedBy: nil)
        if let file = account.recoveryFile {
            try SetupAccount.checkRecoveryFile(file, adopting: invocation.arguments.has(.adopt))
        }
        try account.passphrases.askAhead(in: answers.name, forFile: account.recoveryFile != nil)
        done.account = account
    }
    keepIndexersOut(of: answers.mountPoint)
    try workspace.writeUnitSettings()
    let service = SetupService(name: answers.name)
    done.isService = !invocation.arguments.has("no-service") && service.isOffered
    if usesKeyring, !done.isService {
        throw Failure(
            .failure, "no service manager offers mamd-unlock@\(answers.name)",
            next: "run mamctl setup without --keyring: it goes on from here")
    }
    let running = try workspace.daemon()
    if done.isService {
        try service.enable(mounting: running == nil)
    } else if running == nil {
        try workspace.mount()
    }
    guard let daemon = try running ?? workspace.daemon() else {
        throw Failure(
            .unreachable, "the daemon of '\(answers.name)' does not answer",
            next: done.isService ? service.remedy : nil)
    }
    if let joining {
        done.machine = try joining.join(answers.name)
        if done.isService { try service.enableFleet() }
    }
    if hasAccount {
        // Of a workspace that is there, the daemon knows whose it is.
        let known =
            try done.account ?? SetupAccountAnswers(invocation, in: answers, servedBy: daemon)
        done.account = known
        let account = SetupAccount(
            invocation: invocation, daemon: daemon, answers: known, offer: offer)
        let (report, slot) = try account.open(askingAnyway: usesKeyring)
        done.slot = slot
        if usesKeyring, let passphrase = known.passphrases.account, let id = workspace.id {
            try DesktopKeyring(name: answers.name, id: id).keep(passphrase, of: report.label)
            done.isKeyring = true
        }
    }
    if invocation.isJSON { printJSON(done.json) } else { printOut(verbatim: done.text) }
    return .success
}

private func checkKeyring(_ invocation: Invocation) throws(Failure) {
    guard geteuid() != 0 else {
        throw invocation.misuse("--keyring is a user's; root's workspaces have pam_mamd")
    }
    try invocation.refuse(["no-account", "no-passphrase", "no-service"], with: "keyring")
    guard output(of: ["sh", "-c", "command -v secret-tool"]) == nil else { return }
    throw Failure(.failure, "secret-tool is missing", next: "apt install libsecret-tools")
}

/// What there is at the end.
private struct SetupResult {
    let answers: SetupAnswers
    /// Nil for a workspace without an account yet.
    var account: SetupAccountAnswers?
    var isNew = false
    var isService = false
    var isKeyring = false
    /// Of the recovery passphrase; nil for none.
    var slot: Varlink.Workspace.Slot?
    /// Nil unless it has joined an organisation.
    var machine: JoinedMachine?

    var json: JSONValue {
        [
            "name": .string("\(answers.name)"), "created": .bool(isNew),
            "mountPoint": .string(answers.mountPoint.wireText),
            "backingDirectory": .string(answers.backing.wireText),
            "account": JSONValue(account?.name),
            "recoveryFile": JSONValue(account?.recoveryFile?.wireText),
            "recoverySlot": JSONValue(slot?.id), "service": .bool(isService),
            "keyring": .bool(isKeyring),
            "joined": machine?.json ?? .null,
        ]
    }

    var text: String {
        let place = answers.mountPoint
        let lines: [Message?] = [
            "\(place.shown) is mounted; its files are sealed in \(answers.backing.shown)",
            mounting, machine?.message, unlocking, recovery, words, "next:",
        ]
        let carrier = machine != nil && !isService ? ["mamfleet run \(answers.name)"] : []
        let commands =
            carrier + ["cp -r FOLDER \(place.asArgument)", "mamctl status", "mamctl lock --now"]
        return (lines.compactMap(\.?.translated) + commands.map { "  \($0)" })
            .joined(separator: "\n")
    }

    private var mounting: Message {
        guard isService else {
            return "no service mounts it: after a restart, mount it with mamctl mount"
                + " \(answers.backing.asArgument) \(answers.mountPoint.asArgument)"
        }
        let unit = "mamd@\(answers.name)"
        return geteuid() == 0
            ? "each start of the machine mounts it (\(unit))" : "each login mounts it (\(unit))"
    }

    private var unlocking: Message? {
        guard let account = account?.name else {
            return "it has no account yet: mamctl account register UPN"
        }
        let how: Message =
            isKeyring
            ? "the keyring unlocks it at login" : "mamctl unlock, or the desktop's prompt, opens it"
        return "\(account) is unlocked; it locks with the screen; \(how)"
    }

    private var recovery: Message? {
        account?.recoveryFile.map {
            "a copy of its keys: \($0.shown); keep it elsewhere, and its passphrase too"
        }
    }

    private var words: Message? {
        slot.map { "its recovery passphrase is key slot \($0.id); keep the words elsewhere" }
    }
}
