// The interface definition, word for word that of docs/io.mamd.Audit.varlink; a test compares them.

package enum AuditDescription {
    package static let name = "io.mamd.Audit"

    package static let text = """
        # What happened in a workspace: refusals, locks, wipes, damage.
        #
        # Root and the user whose daemon this is see all of it; others what is told of accounts that they registered, and only of
        # their own processes uid, pid and program. Errors are those of io.mamd.Workspace.
        interface io.mamd.Audit

        # time: RFC 3339 in UTC, with milliseconds
        # sequence: counts up, over restarts too; what is missing was dropped, or has made room
        # event: started, stopped, registered, deregistered, passphrase-changed, wrong-passphrase, unlocked, locked, blocked, unblocked,
        #   refused (a file, or a call), denied (policy said no to a question), damaged, lost (content that could not be stored),
        #   wipe-decided, wiped, wipe-incomplete, policy-changed, policy-refused, ui-identity, keys-exported, keys-imported, recovery-key, dropped
        # path: below the mount, in printable form
        # operation: open, create, read, use, write; a method such as Workspace.Decrypt; the trigger of a wipe
        # reason: one sentence
        # rule: of policy, or the kind of block
        # class: A, B, C or D, of a file
        # count: how often; refusals of the same thing to the same process are told once, and then counted
        type Record (
          time: string,
          sequence: int,
          event: string,
          account: ?string,
          uid: ?int,
          pid: ?int,
          program: ?string,
          path: ?string,
          operation: ?string,
          reason: ?string,
          rule: ?string,
          class: ?string,
          count: int
        )

        # Only with "more": one reply for each record, the oldest first, and at last one without a record. With follow there is no
        # last one: what happens from now on follows what is kept.
        # since, before: RFC 3339; before is the first moment that is not wanted any more
        # account: a name or an object id. event: one of Record's
        # limit: no more than so many that are kept, the newest
        method List(since: ?string, before: ?string, account: ?string, event: ?string, limit: ?int, follow: ?bool) -> (record: ?Record)

        """
}
