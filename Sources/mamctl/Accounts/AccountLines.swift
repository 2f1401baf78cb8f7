// A summary of an account: the state of its window, for how long, and what to do next.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import MAMWords

/// An account as `status` and `top` show it.
struct AccountLines {
    let account: AccountReport

    init(_ account: AccountReport) { self.account = account }

    private var isBlocked: Bool { account.block != nil }

    /// A coloured symbol for the state.
    var mark: Message {
        if isBlocked { return Style.output.red("✗") }
        return switch account.state {
        case .unlocked: Style.output.green("●")
        case .grace: Style.output.yellow("◐")
        case .locked, .beforeFirstUnlock: Style.output.red("○")
        }
    }

    var state: Message {
        if isBlocked { return Style.output.red("blocked") }
        return switch account.state {
        case .unlocked: Style.output.green("unlocked")
        case .grace: Style.output.yellow("closing")
        case .locked: Style.output.red("locked")
        case .beforeFirstUnlock: Style.output.red("locked since the start")
        }
    }

    /// When the window changes next.
    var countdown: Message? {
        if let seconds = account.graceSeconds {
            return seconds > 0 ? "locks in \(seconds.asDuration)" : "locks now"
        }
        if account.retryAfterSeconds > 0 {
            return "next passphrase in \(account.retryAfterSeconds.asDuration)"
        }
        return account.idleSeconds.map { "locks in \($0.asDuration) unless used" }
    }

    /// Nil for another user's account: the daemon tells its name and state only.
    var use: Message? {
        guard let letters = account.openClasses?.map(\.letter) else { return nil }
        let files = account.openFiles ?? 0
        let list = letters.joined(separator: ", ")
        let classes =
            letters.isEmpty
            ? "no class can be opened"
            : Message(
                letters.count, one: "class \(list) can be opened",
                many: "classes \(list) can be opened")
        let programs = account.containedPrograms ?? 0
        let contained = programs == 0 ? nil : programs.counted("contained program")
        let inUse: Message =
            files == 0 ? "no file in use" : "\(files.counted("file")) in use"
        return [classes, inUse, contained].compactMap(\.self).joined(separator: "; ")
    }

    var policy: Message? {
        account.policies.map { names in
            names.isEmpty
                ? "none covers it"
                : .verbatim(names.map { ByteString($0).shown }.joined(separator: ", "))
        }
    }

    /// Deadlines further off are not shown: each check-in postpones them.
    private static let foreseenSeconds = 7 * 86_400

    var checkIn: Message? {
        guard let seconds = account.secondsSinceCheckIn else { return nil }
        let ends: [Message] = [
            account.offlineBlockSeconds.map { $0 > 0 ? "blocked in \($0.asRoughDuration)" : nil },
            account.offlineWipeSeconds.map {
                if $0 > Self.foreseenSeconds { return nil }
                return $0 > 0 ? "wiped in \($0.asRoughDuration)" : "to be wiped"
            },
        ].compactMap { $0 ?? nil }
        let since = seconds.asTimeAgo
        return ends.isEmpty ? since : "\(since); without one \(ends.joined(separator: ", "))"
    }

    var notes: Message? {
        var notes: [Message] = []
        if account.isDefault { notes.append("default owner of what uid \(account.uid) creates") }
        if account.stage == .signedOut { notes.append("deregistered, its keys are kept") }
        if account.isRecoverable { notes.append("the organisation can open its files") }
        if let seconds = account.guessableSeconds {
            notes.append(
                seconds > 0
                    ? "policy allows a passphrase that offline guessing finds in"
                        + " \(seconds.asDuration)"
                    : "policy allows a passphrase that offline guessing finds at once")
        }
        if !account.hasPassphrase { notes.append("no passphrase") }
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// Why policy blocks the account, and the command that helps, which the reason may end with.
    private var blockParts: (reason: Message, command: String?)? {
        guard isBlocked else { return nil }
        let text = account.blockMessage.translated
        guard let mark = text.ranges(of: ": mamctl ").last else { return (.verbatim(text), nil) }
        let (reason, command) = (text[..<mark.lowerBound], text[mark.lowerBound...].dropFirst(2))
        return (.verbatim(String(reason)), String(command))
    }

    var blockReason: Message? { blockParts?.reason }

    /// The command to run next; nil if none is needed.
    var next: Message? {
        if let blockParts { return blockParts.command.map { .verbatim($0) } }
        return switch account.state {
        case .unlocked: nil
        case .grace: "mamctl unlock \(shown) (keeps it open)"
        case .locked, .beforeFirstUnlock: "mamctl unlock \(shown)"
        }
    }

    var shown: String { ByteString(account.label).shown }
}
