// The interface definition, word for word that of docs/io.mamd.Identity.varlink; a test compares them.

package enum IdentityDescription {
    package static let name = "io.mamd.Identity"

    package static let text = """
        # For whom programs and people work: whose the files are that they create, and which files they may open.
        #
        # An identity is a name or an object id. "" is nobody, and set like any other; null takes back what was set.
        # Errors are those of io.mamd.Workspace.
        interface io.mamd.Identity

        # source: thread, process, session (the user interface's), default (the account that the user registered, or nobody)
        # process: of process, the one that was given the identity: the caller, or whoever it was started by
        type Acting (
          name: string,
          objectId: string,
          managed: bool,
          source: string,
          process: ?int
        )

        # reason: 1 launchBlocked, 2 canceled (the caller's session gave its launch up), 3 clockedOut
        type BlockedAccount (
          account: string,
          reason: int,
          word: string,
          text: string
        )

        # For whom one thread of the calling process works, until the connection ends. It comes before the process's.
        # thread: as gettid(2) gives it. Processes that it forks have its identity, and keep it, if
        # they ask for something while it lives, or its identity changes before it ends.
        method SetThreadIdentity(thread: int, identity: ?string) -> ()

        # For whom the calling process works, and each process that it starts from now on, with what that one starts. Processes
        # that it has started already keep what they have. scoped: until the connection ends; otherwise until the process ends.
        # unmanaged: false refuses one that is no registered account, as UnmanagedOwner: for names
        # that a person has typed.
        method SetProcessIdentity(identity: ?string, scoped: ?bool, unmanaged: ?bool) -> ()

        # For whom a thread of the calling process works, and why. thread: null for the first one.
        method GetIdentity(thread: ?int) -> (acting: Acting)

        # For whom the user works on the screen of this login session. Nothing follows for files. Of an account it is asked that
        # it may be used: it is unlocked, with the passphrase if it is locked.
        # result: 0 success, 1 canceled (no passphrase), 2 notAllowed (a second managed account, or the thread works for somebody
        # else), 3 failed (wrong passphrase, blocked by policy). thread: that asks; null for the first one.
        method SetUserInterfaceIdentity(identity: ?string, passphrase: ?string, passphraseDescriptor: ?int, thread: ?int) -> (result: int, word: string, reason: string)

        # The same with several, for a view that merges them; none of them is nobody. More than one needs MultiManagedIdentities.
        method SetUserInterfaceIdentities(identities: []string, thread: ?int) -> (result: int, word: string, reason: string)

        # identities: what was set for the session, null for nothing. acting: what holds for the thread, null where it is several.
        method GetUserInterfaceIdentity(thread: ?int) -> (session: string, identities: ?[]string, acting: ?Acting)

        # Gives an account that has none its object id. What carries either is the account's from now on; no file is written.
        method LinkAccount(account: string, objectId: string, passphrase: ?string, passphraseDescriptor: ?int) -> (name: string, objectId: string)

        # The caller's accounts that cannot be worked with now, beside those that are only locked.
        method BlockedAccounts() -> (accounts: []BlockedAccount)

        """
}
