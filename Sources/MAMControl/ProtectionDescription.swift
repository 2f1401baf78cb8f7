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

        # Reads the source to its end and writes it protected for the owner: sealed for an account, plain behind a header for
        # anybody else; "" is nobody. Both may be pipes. The call ends when the caller hangs up. bytes: plain ones.
        method ProtectData(owner: ?string, sourceDescriptor: ?int, destinationDescriptor: ?int) -> (bytes: int)

        # The inverse. What ProtectData did not write passes through as it is: protected is then false. All that is written has
        # verified; at damage it is what came before.
        method UnprotectData(sourceDescriptor: ?int, destinationDescriptor: ?int) -> (bytes: int, protected: bool)

        # Reads a header and no more. null, and status 104: the data is not protected.
        method DataInfo(sourceDescriptor: ?int) -> (protection: ?Protection, status: int)

        # The same for text; protected text is base64.
        method ProtectString(owner: ?string, text: ?string) -> (text: string)

        method UnprotectString(text: ?string) -> (text: string, protected: bool)

        method StringInfo(text: ?string) -> (protection: ?Protection, status: int)

        # status and name: 100 applicationNotManaged, 101 invalidArgument, 102 encryptFailed, 103 decryptFailed, 104 notProtected,
        # 105 dataEmpty. cause: the error of io.mamd.Workspace that says why; account: whose, where that has one
        error DataFailed (status: int, name: string, cause: string, account: ?string, reason: string)

        """
}
