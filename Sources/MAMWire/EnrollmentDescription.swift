// The interface definition, word for word that of docs/io.mamd.Enrollment.varlink; a test compares them.

/// What `GetInterfaceDescription` answers for enrolment.
package enum EnrollmentDescription {
    package static let name = "io.mamd.Enrollment"

    package static let text = """
        # Accounts come and go: registering, enrolling, checking in, and the conditions under which they may be used.
        #
        # A parameter that ends in Descriptor is the index of a file descriptor that came with the call (SCM_RIGHTS). Without account
        # a method is about the caller's only one. Errors are those of io.mamd.Workspace.
        interface io.mamd.Enrollment

        # statusCode: the number of IntuneMAMEnrollmentStatusCode; docs/ENROLLMENT.md has the table. Below 200 it is a success.
        type Status (
          identity: string,
          accountId: string,
          didSucceed: bool,
          statusCode: int,
          errorString: ?string
        )

        # A condition of policy that is not met. action: warn, block, wipe; rule: the property of the policy
        type Finding (
          action: string,
          rule: string,
          reason: string
        )

        # stage: registered, enrolled, signed-out; block: what keeps it closed: recheck, offline, offline-wipe, launch, passphrase,
        # locked-out, clocked-out, signed-out
        type Enrollment (
          stage: string,
          status: Status,
          secondsSinceCheckIn: int,
          block: ?string,
          blockReason: ?string,
          findings: []Finding
        )

        # Registers, and enrols at once. A refusal is a status too. Exactly one of passphrase, passphraseDescriptor, noPassphrase.
        # newKeys: also where sealed files carry the name whose keys are not here; else that is
        # io.mamd.Workspace.SealedFiles.
        method Register(name: string, objectId: ?string, passphrase: ?string, passphraseDescriptor: ?int, noPassphrase: ?bool, newKeys: ?bool) -> (status: Status)

        # Checks in, and then opens the account with its passphrase: the way out of too many wrong ones, and of too long without a
        # check-in. A name that has no account here is registered.
        method Login(account: ?string, passphrase: ?string, passphraseDescriptor: ?int) -> (status: Status)

        # Takes an account from the list; status 213 without one. wipe: and destroys its keys and
        # files; otherwise its keys stay, sealed, and its files encrypted, until it is registered
        # again with the passphrase that it has.
        # wiped: what io.mamd.Workspace.Wipe answers; null without wipe. confirmed: as there, for a wipe.
        method Deregister(account: string, wipe: bool, confirmed: ?bool) -> (status: Status, wiped: ?object)

        # Reads the policies now, for all accounts. For root and the daemon's user.
        method CheckIn() -> (succeeded: bool, reason: ?string)

        # The accounts that the caller may lock.
        method List() -> (enrollments: []Enrollment)

        # Those that may register here, by name or object id; null: anybody.
        method AllowedAccounts() -> (accounts: ?[]string)

        # status: 0 compliant, 1 not, 2 service failure, 3 network failure, 4 interaction required, 5 canceled
        method CheckCompliance(account: ?string) -> (status: int, reason: ?string)

        # status: 0 not configured, 1 unknown, 2 clocked in, 3 out, 4 in and 5 out, both long ago
        method UserStatus(account: ?string) -> (status: int)

        # What stands for the device's threat level where no probe tells it: high, medium, low, secured; null: nothing.
        # For root and the daemon's user.
        method SetThreatLevel(level: ?string) -> ()

        # Moves the daemon's clock forward, with DebugSettingsEnabled only. For root and the daemon's user.
        method AdvanceClock(seconds: int) -> ()

        """
}
