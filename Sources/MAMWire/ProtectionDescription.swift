// The interface definition, word for word that of docs/io.mamd.Protection.varlink; a test compares them.

/// What `GetInterfaceDescription` answers for the protection of files and data.
package enum ProtectionDescription {
    package static let name = "io.mamd.Protection"

    package static let text = """
        # Protecting files and data for an identity, as the protection managers of the Intune App SDK do.
        #
        # A parameter that ends in Descriptor is the index of a file descriptor that came with the call (SCM_RIGHTS).
        interface io.mamd.Protection

        # As in io.mamd.Workspace
        type Protection (
          owner: string,
          ownerObjectId: string,
          managed: bool,
          class: ?string,
          effectiveClass: ?string,
          state: string,
          reason: string
        )

        # path: below the mount's top; empty for the one file that was named. changed: false if there was nothing to do
        type ProtectedFile (
          path: string,
          changed: bool,
          protection: Protection
        )

        # A file below a directory that could not be protected; members as of FileFailed
        type Failure (
          path: string,
          status: int,
          name: string,
          cause: string,
          reason: string
        )

        type Summary (
          files: int,
          changed: int,
          failed: int
        )

        # Gives a file of the mount to an owner, encrypting or decrypting it as that owner needs; of a directory, every file below it, and what
        # is made there from now on by programs that act for nobody in particular. "" is nobody.
        # unmanaged: as with SetOwner of io.mamd.Workspace; without it such a name is refused with
        # status 106. With more, each reply has one of the three, the last one the summary.
        method Protect(owner: ?string, unmanaged: ?bool, path: ?string, fileDescriptor: ?int) -> (file: ?ProtectedFile, failure: ?Failure, summary: ?Summary)

        # The same for what does not have that owner yet.
        method VerifyAndProtect(owner: ?string, unmanaged: ?bool, path: ?string, fileDescriptor: ?int) -> (file: ?ProtectedFile, failure: ?Failure, summary: ?Summary)

        # Protects a file of the mount for an account. Somebody else is refused with status 106, a directory with 105.
        method EncryptFile(owner: ?string, path: ?string, fileDescriptor: ?int) -> (protection: Protection)

        # Makes a file of the mount plain, whatever policy says, and gives it to nobody, until Protect
        # gives it to an account again.
        method DecryptFile(path: ?string, fileDescriptor: ?int) -> (protection: Protection)

        # Of a file outside of the mount its header tells, in either form.
        method IsFileEncrypted(path: ?string, fileDescriptor: ?int) -> (encrypted: bool)

        # Reads the source to its end and writes it protected for the owner: sealed for an account, plain behind a header for
        # anybody else; "" is nobody. unmanaged: as with Protect; without it such a name is refused
        # with status 101. strict: so is an owner that is no account, always. Both may be pipes. The
        # call ends when the caller hangs up. bytes: plain ones.
        method ProtectData(owner: ?string, unmanaged: ?bool, strict: ?bool, sourceDescriptor: ?int, destinationDescriptor: ?int) -> (bytes: int)

        # The inverse, also of a file that Workspace.Encrypt made, if it is not in a pipe. What is
        # not protected passes through as it is: protected is then false. strict: it is refused. All
        # that is written has verified; at damage it is what came before.
        method UnprotectData(strict: ?bool, sourceDescriptor: ?int, destinationDescriptor: ?int) -> (bytes: int, protected: bool)

        # Reads a header, of either form, and no more. null, and status 104: the data is not
        # protected.
        method DataInfo(sourceDescriptor: ?int) -> (protection: ?Protection, status: int)

        # The same for text; protected text is base64.
        method ProtectString(owner: ?string, unmanaged: ?bool, text: ?string) -> (text: string)

        method UnprotectString(text: ?string) -> (text: string, protected: bool)

        method StringInfo(text: ?string) -> (protection: ?Protection, status: int)

        # status and name: 100 applicationNotManaged, 101 invalidArgument, 102 encryptionFailed, 103 decryptionFailed, 104 fileNotFound,
        # 105 pathIsDirectory, 106 identityNotManaged, 107 internalError. cause and account: as of DataFailed
        error FileFailed (status: int, name: string, cause: string, account: ?string, reason: string)

        # status and name: 100 applicationNotManaged, 101 invalidArgument, 102 encryptFailed, 103 decryptFailed, 104 notProtected,
        # 105 dataEmpty. cause: the error of io.mamd.Workspace that says why; account: whose, where that has one
        error DataFailed (status: int, name: string, cause: string, account: ?string, reason: string)

        """
}
