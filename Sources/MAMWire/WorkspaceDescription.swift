// The interface definition, word for word that of docs/io.mamd.Workspace.varlink; a test compares them.

/// What `GetInterfaceDescription` answers for this project's interface.
package enum WorkspaceDescription {
    package static let name = "io.mamd.Workspace"

    package static let text = """
        # One mounted workspace: whose a file is, whether it can be read, and the accounts that own files.
        #
        # A parameter that ends in Descriptor is the index of a file descriptor that came with the call (SCM_RIGHTS).
        interface io.mamd.Workspace

        # state: before-first-unlock, unlocked, grace, locked
        type Account (
          id: string,
          name: string,
          objectId: string,
          uid: int,
          state: string,
          hasPassphrase: bool,
          # The default owner of what this uid creates
          isDefault: bool,
          # Seconds until another passphrase is tried; 0: now
          retryAfterSeconds: int,
          # registered, enrolled, signed-out
          stage: string,
          # What last came of enrolling it: io.mamd.Enrollment
          statusCode: int,
          # What keeps it closed beside a lock, as in io.mamd.Enrollment; empty: nothing
          block: string,
          blockReason: string,
          # Policy names a recovery key: who has its private half can open the account's files
          isRecoverable: bool,
          # Within so many seconds somebody who has the disk guesses the weakest passphrase that
          # policy allows, at 1,000 a second. Left out: not within a month, or it has none, or
          # a credential has the device secret
          guessableSeconds: ?int,
          # The rest is told by Status and ListAccounts. Classes whose files can be opened now, and how many files are in use
          openClasses: ?[]string,
          openFiles: ?int,
          # Seconds until it closes: at the end of the grace period that runs; if nobody uses its files. null: never
          graceSeconds: ?int,
          idleSeconds: ?int,
          secondsSinceCheckIn: ?int,
          # Seconds until it is blocked, and is to be wiped, if no check-in succeeds; null: never
          offlineBlockSeconds: ?int,
          offlineWipeSeconds: ?int,
          # The policy documents that cover it; null for whom it does not answer to
          policies: ?[]string
        )

        # class and effectiveClass: A, B, C, D, or null when not encrypted; of a directory, what its new files ask for and get
        # state: foreign, unmanaged, unsealed, available, closed, key-missing, damaged, directory
        type Protection (
          owner: string,
          ownerObjectId: string,
          managed: bool,
          class: ?string,
          effectiveClass: ?string,
          state: string,
          reason: string
        )

        # A file in the mount and the processes that have it open or mapped, as far as the daemon sees them
        type Straggler (
          path: string,
          processes: []Process
        )

        type Process (
          pid: int,
          name: string
        )

        # Of an account:
        #   will-become-unavailable (seconds: 0 is now), unavailable, available, blocked (kind, reason), unblocked, wiped
        #   policy-changed, app-config-changed, data-protection-changed: protect again what you protected yourself
        #   launch-warning (reason)
        #   enrollment-status (kind: enrollment, policy, unenroll; code, succeeded, reason), check-in (succeeded, reason)
        #   user-status-changed (code), compliance-status (code), restart-required
        #   identity-switch-required (code: 1, session, name: whom to switch to, empty for nobody)
        #   ui-taken (session), ui-released (session)
        # Of the workspace, without an account, for root and the daemon's user: policy-refused (document, reason),
        # account-to-add (name), allowed-accounts-changed. Codes are the Intune SDK's numbers.
        type Event (
          event: string,
          account: ?Account,
          seconds: ?int,
          kind: ?string,
          reason: ?string,
          code: ?int,
          succeeded: ?bool,
          session: ?string,
          document: ?string,
          name: ?string
        )

        type BlockRange (
          first: int,
          last: int
        )

        # path: below the backing directory; of a keybag, below the state directory. What is no printable text stands as \\ooo.
        # problem: header, size, blocks, lost, zeros, tail, end, newer, key-missing,
        # unreadable, foreign, unsealed, unproved, directory-class, directory-owner, keybag,
        # leftover, wipe
        # blocks: of 4096 bytes of the backing file, at most 1000 ranges of them; blockCount: how many they are
        # place: backing, state: the directory that path begins in
        # outcome: left, repaired, incomplete (repaired, and content may be missing), quarantined,
        # unchecked, unreadable (its rights are closed), noted (nothing is wrong)
        # action: what was done, or why nothing was; of quarantined, the place below the backing directory
        type Finding (
          path: string,
          place: string,
          problem: string,
          reason: string,
          blocks: []BlockRange,
          blockCount: int,
          outcome: string,
          action: ?string
        )

        # totalBytes: of the files that were met so far; uncheckedFiles: those whose content could not be checked, for want of
        # their key. left, repaired, quarantined, unchecked and unreadable count findings;
        # incomplete: of the repaired ones; foreign: files without a header, which are noted.
        type VerifyCounts (
          files: int,
          bytes: int,
          totalBytes: int,
          uncheckedFiles: int,
          left: int,
          repaired: int,
          incomplete: int,
          quarantined: int,
          unchecked: int,
          unreadable: int,
          foreign: int
        )

        # The last check of the whole workspace that came to its end: when, in seconds since 1970. io.mamd.Report tells what it found.
        type LastVerify (
          time: int,
          repair: bool,
          counts: VerifyCounts
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

        method Status() -> (
          name: string,
          id: string,
          version: string,
          backingDirectory: string,
          mountPoint: string,
          # device, io_uring: how the kernel's requests come; null without a mount. transportNote: how, or why not through io_uring
          transport: ?string,
          transportNote: ?string,
          readOnly: bool,
          pid: int,
          uid: int,
          multiIdentity: bool,
          maximumClass: string,
          openFiles: int,
          accounts: []Account,
          # No account is here, and sealed files are: their keys come with an import.
          needsImport: bool,
          # For root and the daemon's user
          lastVerify: ?LastVerify,
          # For them too: files of the policy directory that are not in force as they stand there
          refused: []RefusedDocument
        )

        # One of path (absolute, inside the mount), descriptor, or device and inode as stat(2) on the mount gives them.
        method ProtectionInfo(path: ?string, fileDescriptor: ?int, device: ?int, inode: ?int) -> (protection: Protection)

        method ListAccounts() -> (accounts: []Account)

        # Exactly one of passphrase, passphraseDescriptor (read to its end; one trailing newline is dropped), noPassphrase.
        # newKeys: also where sealed files carry the name whose keys are not here; else that is
        # SealedFiles.
        method RegisterAccount(name: string, objectId: ?string, passphrase: ?string, passphraseDescriptor: ?int, noPassphrase: ?bool, newKeys: ?bool) -> (account: Account)

        method ChangePassphrase(account: string, passphrase: ?string, passphraseDescriptor: ?int, newPassphrase: ?string, newPassphraseDescriptor: ?int, noPassphrase: ?bool) -> (account: Account)

        # Closes the windows of one account, or of all that the caller may lock. now: no grace period. stragglers: files that were
        # being read or written in a way that did not end by the lock's deadline; what is written to them from now on is lost.
        method Lock(account: ?string, now: ?bool) -> (accounts: []Account, stragglers: []Straggler)

        # Opens the windows of one account, or of the caller's only one.
        method Unlock(account: ?string, passphrase: ?string, passphraseDescriptor: ?int) -> (account: Account)

        # Destroys an account: its keys, then its files, wherever they lie in the backing directory. complete: nothing of it is left;
        # otherwise what is left goes at the daemon's next start, or when this is called again. files: how many were removed; left: paths
        # below the backing directory that could not be; scanned: how many were looked at in the end, and opened: of those, how many a key
        # of the account opens, or would; stragglers: as with Lock. With more, replies before
        # the last one tell files and scanned so far. confirmed: its caller asked whether it is meant; without it nothing is wiped.
        method Wipe(account: string, confirmed: ?bool) -> (complete: bool, files: int, scanned: int, opened: int, left: []string, stragglers: []Straggler)

        # Tells what happens to the accounts that the caller may lock, until it hangs up: first how each is now. Call with more.
        method Watch() -> (event: Event)

        # Reads the plain source from its start and writes a protected file of the owner into the empty destination.
        # The source may be a pipe, which is read to its end.
        method Encrypt(owner: string, sourcePath: ?string, sourceDescriptor: ?int, destinationPath: ?string, destinationDescriptor: ?int) -> (bytes: int)

        # Reads the protected source from its start and writes the plain content into the empty
        # destination. The source is a file in either form, or one of the mount whose owner is
        # managed: what the mount shows is copied under the same rules. The destination may be a
        # pipe: what is written into it has verified.
        method Decrypt(sourcePath: ?string, sourceDescriptor: ?int, destinationPath: ?string, destinationDescriptor: ?int) -> (bytes: int)

        # Gives a file in the mount to another owner, encrypting or decrypting it as that owner needs. "" is nobody.
        # Of a directory, says whose its new files are; "" takes that away. unmanaged: the owner may
        # be no registered account, so that the content becomes plain; else such a name is
        # UnmanagedOwner, unless the caller works for it.
        method SetOwner(owner: string, unmanaged: ?bool, path: ?string, fileDescriptor: ?int) -> (protection: Protection)

        # Asks for a class for a managed file, or for the new children of a directory. null: for what policy says.
        method SetClass(class: ?string, path: ?string, fileDescriptor: ?int) -> (protection: Protection)

        # Checks all files, or one file or directory, in the mount or in the backing directory. repair: mends what can be mended, and moves the rest
        # to .mamd/quarantine. Call with more: each reply has one of the three, the last one the summary.
        method Verify(path: ?string, fileDescriptor: ?int, repair: ?bool) -> (finding: ?Finding, progress: ?VerifyCounts, summary: ?VerifyCounts)

        # What the calling process and its children create from now on belongs to this identity. "" is nobody; null: the default again.
        method SetProcessIdentity(identity: ?string) -> ()

        error UnknownAccount (account: string)
        error AccountExists (account: string)
        # files: how many, and example: the first of them; of the caller's own files alone, but for
        # root and the daemon's user
        error SealedFiles (account: string, files: int, example: ?string, reason: string)
        # outlook: what more wrong ones bring, for a person
        error WrongPassphrase (account: string, retryAfterSeconds: int, outlook: ?string)
        # Whether it is right is not known: it came too soon after a wrong one, or the record of
        # those is damaged.
        error NotTried (account: string, retryAfterSeconds: int, reason: string)
        error WindowClosed (account: string)
        error Blocked (account: string, kind: string, reason: string)
        error NotManaged (reason: string)
        # The owner that a call names is no registered account, and may be misspelt
        error UnmanagedOwner (account: string, reason: string)
        error NotFound (reason: string)
        error Damaged (reason: string)
        error Refused (reason: string)
        error InvalidInput (reason: string)
        error SystemError (errno: int, reason: string)

        """
}
