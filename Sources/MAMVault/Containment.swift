// Which files are only for contained programs, and which files those may change.

internal import MAMAudit
package import MAMFormat
package import MAMIdentity
internal import MAMKeyring
package import MAMModel
package import MAMPolicy
package import MAMSettings
internal import MAMSystem

/// Keeps the data of accounts whose policy restricts transfers with programs that the kernel holds
/// to that. Other accounts' files are not affected.
package struct Containment: Sendable {
    let vault: Vault

    package init(_ vault: Vault) { self.vault = vault }

    /// Whether an account's files are only for contained programs.
    package func isRequired(for account: AccountID) -> Bool {
        vault.merged(of: account).isContained
    }

    /// Whether that holds for any account.
    package var isRequiredForSome: Bool { vault.mergedOfAll.isContained }

    /// What contained programs of an account may connect to.
    package func network(of account: AccountID) -> Settings.ContainedNetwork {
        vault.policy(of: account).keepsData ? vault.rules.settings.containedNetwork : .any
    }

    /// Whether contained programs of an account have no terminal, which is copied by whoever has
    /// opened it.
    package func blocksTerminals(of account: AccountID) -> Bool {
        vault.rules.settings.containedTerminalBlocked && vault.policy(of: account).keepsCopies
    }

    /// Whether they have no display that other programs have as well.
    package func requiresNested(for account: AccountID) -> Bool {
        vault.rules.settings.containedNestedRequired && vault.policy(of: account).keepsCopies
    }

    /// Refuses a file that is only for contained programs of its account to any other, contained
    /// ones of other accounts too: those are held to another policy. `reader` is evaluated only for
    /// such a file.
    package func checkReading(
        of header: FileHeader?, by reader: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        guard let account = confined(header), try !isInside(account, reader()) else { return }
        throw outside(account)
    }

    /// The same for what belongs to the account.
    func checkReading(
        of account: AccountID, by reader: FoundIdentity
    ) throws(VaultError) {
        guard isRequired(for: account), !isInside(account, reader) else { return }
        throw outside(account)
    }

    private func isInside(_ account: AccountID, _ program: FoundIdentity) -> Bool {
        program.isContained && vault.account(of: program.identity) == account
    }

    /// The account whose contained programs alone use a file with this header; nil: there is none.
    package func confined(_ header: FileHeader?) -> AccountID? {
        guard let account = owner(of: header), isRequired(for: account) else { return nil }
        return account
    }

    private func outside(_ account: AccountID) -> VaultError {
        let name = vault.identity(of: account)
        return .refused(
            "it belongs to \(name), whose policy (\(rule(of: account))) keeps it to its own"
                + " contained programs",
            next: "mamctl run --contained --account \(name) -- COMMAND",
            rule: AuditRecord.containment)
    }

    /// Whether the administrator trusts the reader with a file that policy keeps from others.
    package func trusts(_ reader: FoundIdentity, with header: FileHeader?) -> Bool {
        guard let account = owner(of: header) else { return false }
        return switch reader.standing {
        case .ordinary, .contained: false
        case .trusted(.allAccounts): true
        case .trusted(.ownAccount): vault.account(of: reader.identity) == account
        }
    }

    /// Refuses a contained program another owner's file, where it would leave what it has read, and
    /// a trusted one any file: it may read.
    package func checkWriting(
        of header: FileHeader?, by writer: () throws(VaultError) -> FoundIdentity
    ) throws(VaultError) {
        guard isRequiredForSome || vault.identities.haveStanding else { return }
        let writer = try writer()
        if case .trusted = writer.standing {
            throw .refused("a trusted program changes no file of the workspace: it may only read")
        }
        try refuseBereft(writer)
        guard writer.isContained, let account = vault.account(of: writer.identity),
            isRequired(for: account), owner(of: header) != account
        else { return }
        throw .refused(
            "a contained program of \(writer.identity) changes files of that account only",
            rule: AuditRecord.containment)
    }

    /// Refuses a program to make a file of this owner's: whoever makes a file has a handle of it,
    /// and a handle is never asked again.
    package func checkBeginning(
        of owner: Identity, by maker: FoundIdentity
    ) throws(VaultError) {
        if maker.standing == .trusted(.allAccounts) {
            throw .refused(
                "a trusted program of all accounts makes no files in the workspace",
                next: "mamctl run --trusted --account ACCOUNT -- COMMAND")
        }
        try refuseBereft(maker)
        guard !maker.isUndecided else {
            throw .refused(
                "what started this program has ended, and it may act for any of several accounts",
                next: "mamctl run --identity ACCOUNT -- COMMAND")
        }
        guard let account = vault.account(of: owner), isRequired(for: account) else { return }
        guard maker.standing != .ordinary, vault.account(of: maker.identity) == account else {
            throw outside(account)
        }
    }

    /// Refuses to change a file beside handles that were opened under other rules, such as before
    /// its policy was strict: what a contained program writes would be read through them.
    package func checkCompany(
        of account: AccountID?, isInside: (AccountID) -> Bool
    ) throws(VaultError) {
        guard let account, isRequired(for: account), !isInside(account) else { return }
        throw .refused(
            "a program has it open that was not asked whether it is contained",
            rule: AuditRecord.containment)
    }

    /// What a contained program of an account that is gone has in memory was to be sealed, and
    /// would become nobody's plain file.
    private func refuseBereft(_ program: FoundIdentity) throws(VaultError) {
        guard program.isContained, vault.account(of: program.identity) == nil else { return }
        guard program.identity.isNobody else { throw .keyRevoked(program.identity) }
        throw .refused(
            "the account that this program was contained for is gone",
            rule: AuditRecord.containment)
    }

    private func owner(of header: FileHeader?) -> AccountID? {
        header?.sealing.flatMap { vault.keyring.account(ofKey: $0.keyID) }
    }

    private func rule(of account: AccountID) -> String {
        vault.policy(of: account).sendsToAll
            ? "saveAsBlocked" : "allowedOutboundDataTransferDestinations"
    }

    /// What documents that come into force mean for programs that are not contained; nil: nothing.
    package func finding(under documents: [PolicyDocument]) -> String? {
        guard vault.rules.settings.requiresContainment(under: .merge(documents)) else { return nil }
        return PolicyEffect.containmentReason
    }
}

extension Settings {
    /// Whether files under the policy are only for contained programs.
    func requiresContainment(under policy: EffectivePolicy) -> Bool {
        switch containment {
        case .off, .offered: false
        case .policy: policy.isForContainedAlone
        case .required: policy.keepsData
        }
    }
}

// Counts and records what containment refuses.
extension Containment {
    /// Records a call on the socket that containment refused. `path`: of the file that it is about.
    package func noteRefused(
        _ operation: String, of identity: Identity, by process: Int32, user: UInt32,
        _ reason: String, at path: ByteString? = nil
    ) {
        vault.sinks.metrics.count(.containmentCalls)
        let key = AuditKey(
            .refused, user: user, thread: process,
            file: UInt64(UInt(bitPattern: path?.hashValue ?? 0)),
            operation: operation, account: identity.description, reason: reason)
        vault.sinks.trail.add(key) {
            AuditRecord(
                .refused, of: identity.isNobody ? nil : identity.description,
                registrant: vault.registrant(of: identity), path: path?.shown,
                operation: operation, reason: reason, rule: AuditRecord.containment)
        }
        vault.sinks.trail.noteRefusal()
    }
}

extension VaultError {
    /// Whether data was to stay with contained programs.
    var isOfContainment: Bool {
        if case .refused(_, _, AuditRecord.containment) = self { true } else { false }
    }
}
