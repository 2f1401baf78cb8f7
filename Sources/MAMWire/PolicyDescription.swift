// The interface definition, word for word that of docs/io.mamd.Policy.varlink; a test compares them.

/// What `GetInterfaceDescription` answers for the policy interface.
package enum PolicyDescription {
    package static let name = "io.mamd.Policy"

    package static let text = """
        # What policy says, to the programs that can act on it; and the documents that say so.
        #
        # account: a name or object id; without it the identity that the calling process works for. An identity that is not managed is
        # restricted by nothing. Questions about an account are answered to root, the daemon's user and the user that registered it.
        # The errors are those of io.mamd.Workspace. A parameter that ends in Descriptor is the index of a file descriptor that came with the call.
        interface io.mamd.Policy

        # reason: one sentence; rule: the property of the policy that decided, as Microsoft Graph names it
        type Decision (
          allowed: bool,
          reason: string,
          rule: ?string
        )

        type Answer (
          question: string,
          decision: Decision
        )

        # value: the SDK's number; the two enumerations have different ones
        type LocationAnswer (
          location: string,
          value: int,
          decision: Decision
        )

        # sealed: it gets the file as it lies on disk, which only a managed program can read
        type ShareTarget (
          program: string,
          managed: bool,
          sealed: bool,
          decision: Decision
        )

        type Document (
          name: string,
          file: ?string,
          id: ?string,
          version: ?string,
          isDefault: bool
        )

        # since, inForceSince: seconds since 1970. lastGoodInForce: what the file said before holds
        # on; inForce: the documents that it held
        type RefusedDocument (
          file: string,
          reason: string,
          since: int,
          lastGoodInForce: bool,
          inForce: ?string,
          inForceSince: ?int
        )

        # severity: error, warning; line: from 1, null in a property list; key: null where no key is to blame
        type Finding (
          line: ?int,
          column: ?int,
          severity: string,
          key: ?string,
          reason: string
        )

        # For whom a document is in force. obstacle: why for nobody; next: what helps
        type Coverage (
          document: string,
          accounts: []string,
          obstacle: ?string,
          next: ?string
        )

        type ManagedAccount (
          name: string,
          objectId: string
        )

        # The rules in force: for each property its value, the documents it is from, and those that asked for something looser. accounts: of several
        # together, the most restrictive of everything. refused and warnings are told to root and the daemon's user alone.
        method Show(account: ?string, accounts: ?[]string) -> (account: string, managed: bool, rules: object, documents: []Document, refused: []RefusedDocument, warnings: []string)

        # What is wrong with the text of a document: the first 1000 findings. Changes nothing. More than 256 KiB are for root and the daemon's user.
        method Check(document: string) -> (findings: []Finding)

        # Puts a document into the policy directory and into force: for root and the daemon's user. name: of the file, with .json at its end.
        # dryRun: only tells what would come of it.
        method Import(name: string, document: string, dryRun: ?bool) -> (documents: []string, coverage: []Coverage, warnings: []string)

        # One question of IntuneMAMPolicy by its name, such as isContactSyncAllowed.
        method Ask(question: string, account: ?string, accounts: ?[]string) -> (decision: Decision)

        # All of them.
        method Answers(account: ?string, accounts: ?[]string) -> (account: string, answers: []Answer)

        # May data of an owner (by name, or the owner of a file; the caller's identity) be saved at a location that belongs to account? Null: to nobody managed.
        method CanSave(location: string, owner: ?string, path: ?string, fileDescriptor: ?int, account: ?string) -> (decision: Decision)

        method SaveLocations(owner: ?string, path: ?string, fileDescriptor: ?int, account: ?string) -> (locations: []LocationAnswer)

        # May the receiver (the caller's identity) take in data from a location that belongs to account?
        method CanOpen(location: string, receiver: ?string, account: ?string) -> (decision: Decision)

        method OpenLocations(receiver: ?string, account: ?string) -> (locations: []LocationAnswer)

        # May a file, or with item a shared item, of an owner come to account? Without an owner it says nothing of one.
        # becomesReceivers: policy makes it the receiver's.
        method CanReceive(owner: ?string, path: ?string, fileDescriptor: ?int, item: ?bool, account: ?string) -> (decision: Decision, becomesReceivers: bool)

        # Which programs, by absolute path, are offered data of the account.
        method ShareTargets(programs: []string, account: ?string) -> (targets: []ShareTarget)

        # opens: what to open instead, or the same; null if nothing may be. universal: only as a universal link.
        method CanOpenURL(url: string, account: ?string, knownManagedScheme: ?bool, universal: ?bool) -> (decision: Decision, opens: ?string)

        # May so many characters be copied for target? Null: for all programs.
        method CanCopy(count: int, account: ?string, target: ?string) -> (decision: Decision)

        method CanPaste(count: int, account: ?string, source: ?string) -> (decision: Decision)

        # mode: import, open, exportToService, moveToService
        method CanPickDocuments(mode: string, account: ?string) -> (decision: Decision)

        # 0 allow, 1 blockOrganizationalData: text that says nothing of the content, 2 block
        method NotificationPolicy(account: ?string) -> (policy: int, name: string)

        # Those that answer to the caller, and were not deregistered. primary: the only one that
        # the caller registered. managementEnabled: policy covers one, or is required.
        method ManagedAccounts() -> (accounts: []ManagedAccount, primary: ?ManagedAccount, managementEnabled: bool)

        # Compared without regard to case, and by name and object id where an account has both.
        method SameIdentity(first: string, second: string) -> (same: bool)

        method IsManaged(account: ?string) -> (managed: bool)

        # What the organisation tells the programs of the accounts: one object for each configuration, the tenant's default with __IsDefault.
        method Configuration(accounts: ?[]string) -> (fullData: []object)

        # type: string (without it), bool, number. query: any (without it); or, and of bool; min, max of the others. value: null if there is none.
        method ConfigurationValue(key: string, type: ?string, query: ?string, account: ?string) -> (value: ?object, all: []object)

        # True if several values are meant for the account, and differ.
        method ConfigurationConflict(key: string, account: ?string) -> (conflict: bool)

        # Counters of this daemon as OpenMetrics text. Refused with MAMTelemetryDisabled.
        method Metrics() -> (text: string)

        """
}
