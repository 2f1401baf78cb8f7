// The interface definition, word for word that of docs/io.mamd.Recovery.varlink; a test compares them.

/// What `GetInterfaceDescription` answers for keys that leave a machine.
package enum RecoveryDescription {
    package static let name = "io.mamd.Recovery"

    package static let text = """
        # The keys of an account leave a machine, and come to another one: docs/RECOVERY.md.
        #
        # A parameter that ends in Descriptor is the index of a file descriptor that came with the call (SCM_RIGHTS). Keys never stand in a frame.
        # Errors are those of io.mamd.Workspace.
        interface io.mamd.Recovery

        # recoveryKey: of a recovery record, the first digits of the public key that it is sealed to; null: sealed under a passphrase.
        # written: seconds since 1970
        type KeyExport (
          id: string,
          name: string,
          objectId: string,
          written: int,
          recoveryKey: ?string
        )

        # Writes the account's keys, sealed under the export's passphrase, into the file, which is to be empty, open for writing, and nobody else's
        # to read. Takes the account's own passphrase also while it is unlocked; none of an account that has none.
        # Refused: an exportPassphrase that is not UTF-8, has less than 8 characters, or lacks what policy
        # wants of a passphrase.
        method ExportKeys(account: ?string, passphrase: ?string, passphraseDescriptor: ?int, exportPassphrase: ?string, exportPassphraseDescriptor: ?int, fileDescriptor: int) -> (export: KeyExport)

        # Makes the account of an export, or of a recovery record, one of this daemon's, registered by the caller, with the same ids and keys. Of
        # exportPassphrase, for the former, and recoveryKeyDescriptor, for the latter, exactly one; recoveryKeyPassphrase is that key's
        # own. Of passphrase, passphraseDescriptor, noPassphrase exactly one: what opens the account from now on.
        # join: where an account has the name already, its keys get those of the export beside them;
        # then the passphrase is the one that it has. Without it that is AccountExists. Ask before:
        # who made the file can read what is written to the files that its keys open, until they are
        # sealed anew.
        method ImportKeys(fileDescriptor: int, exportPassphrase: ?string, exportPassphraseDescriptor: ?int, recoveryKeyDescriptor: ?int, recoveryKeyPassphrase: ?string, recoveryKeyPassphraseDescriptor: ?int, passphrase: ?string, passphraseDescriptor: ?int, noPassphrase: ?bool, join: ?bool) -> (export: KeyExport)

        # Opens an export and changes nothing. account: the id of the one that an import would join;
        # null: it would be a new one. files: how many sealed files here name its keys; opened: of
        # those, how many they open.
        method ExamineKeys(fileDescriptor: int, exportPassphrase: ?string, exportPassphraseDescriptor: ?int, recoveryKeyDescriptor: ?int, recoveryKeyPassphrase: ?string, recoveryKeyPassphraseDescriptor: ?int) -> (export: KeyExport, account: ?string, files: int, opened: int)

        """
}
