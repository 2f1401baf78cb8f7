// `account register` and `setup`: a recovery passphrase for the new account.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

/// What the command line says of it; made before the account is, so that a file that cannot be
/// written stops nothing half-way.
struct RecoveryOffer {
    private let invocation: Invocation
    /// Whether it is to be made without a question.
    let isOrdered: Bool
    private let isAsked: Bool
    /// What an interrupted run has left.
    private let kept: KeptWords?

    /// `goesOn`: an earlier run may have written the file.
    init(_ invocation: Invocation, goesOn: Bool = false) throws {
        let arguments = invocation.arguments
        if arguments.has(.recoveryFile) {
            try invocation.refuse(["no-recovery", "no-passphrase"], with: Option.recoveryFile.name)
        }
        self.invocation = invocation
        let path = arguments.value(Option.recoveryFile.name)
        kept = goesOn ? try path.flatMap { try KeptWords(at: $0) } : nil
        isOrdered = try kept != nil || NewFile.forRecovery(invocation) != nil
        isAsked =
            !isOrdered && !arguments.has(.noRecovery) && arguments.isTyped()
            && PrivateScreen.isOffered
    }

    /// Before an account is registered: words that are there already are not its.
    func refuseKept() throws { try kept?.refuse() }

    /// Adds it to an account that is there already, whatever comes of this. Nil if nobody wants
    /// one. `opening`: what opens the account; nil for nothing.
    func take(
        for account: AccountReport, opening: SecretBuffer?, of daemon: Daemon
    ) throws -> Varlink.Workspace.Slot? {
        guard
            isOrdered
                || isAsked && opening != nil && !account.isRecoverable
                    && wantsWords(for: account.label)
        else { return nil }
        do {
            guard let opening else {
                throw Failure(.refused, "it has no passphrase", next: "mamctl account passphrase")
            }
            if let kept { return try kept.add(to: account, opening: opening, of: daemon) }
            // The place of the file may have become the new workspace.
            let file = try NewFile.forRecovery(invocation)
            let new = try NewRecovery(for: account, of: daemon, in: file)
            if let slot = try new.add(opening: opening) { return slot }
        } catch let failure as Failure {
            throw Failure(
                failure.status,
                "\(account.label) is there, without a recovery passphrase: \(failure.message)",
                next: failure.next)
        }
        printError("no recovery passphrase was added; for another: mamctl slot add --type recovery")
        return nil
    }

    private func wantsWords(for label: String) -> Bool {
        let question: Message =
            "\(label) is registered. Twelve words can open it if its passphrase is forgotten. Make"
            + " them now? [Y/n]"
        let answer = try? Terminal.askOpenly(question)
        return ["", "y", "yes"].contains(answer?.text?.lowercased() ?? "n")
    }
}
