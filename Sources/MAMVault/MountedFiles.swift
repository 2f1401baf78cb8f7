// What the socket asks of the mount. The mount implements it; neither edge knows the other.

package import MAMModel
package import MAMSystem

/// Files of the mounted workspace, found without a path of ours.
package protocol MountedFiles: Sendable {
    /// How the kernel's requests come.
    var transport: Transport { get }

    /// True for any descriptor of something in the mount.
    func contain(_ descriptor: Descriptor) -> Bool

    /// `descriptor`: any descriptor of a file or directory in the mount, `O_PATH` too; or a readable one of a
    ///   protected file elsewhere.
    func protection(of descriptor: Descriptor) throws(VaultError) -> ProtectionInfo

    /// Both as stat(2) on the mount gives them, of a file that is in use.
    func protection(device: UInt64, inode: UInt64) throws(VaultError) -> ProtectionInfo

    /// Gives a file of the mount to another owner and converts its content as that owner needs.
    ///
    /// `caller`: who asks, and must be somebody to whom the content may go.
    func setOwner(
        _ owner: Identity, of descriptor: Descriptor, for caller: Identity
    ) throws(VaultError) -> ProtectionInfo

    /// Makes the content of a file of the mount plain, and it nobody's.
    func decrypt(
        _ descriptor: Descriptor, for caller: Identity
    ) throws(VaultError) -> ProtectionInfo

    /// Gives a file of the mount, or all files below a directory, to an owner; the directories then give it to what is made in them
    /// for nobody in particular. The first failure of a single file is thrown, those below a directory are told.
    func protect(
        _ descriptor: Descriptor, for request: ProtectRequest, _ listener: any ProtectListener
    ) throws(VaultError)

    /// Asks for a class for a managed file of the mount, or for a directory's new children; nil: none.
    func setClass(
        _ asked: ProtectionClass?, of descriptor: Descriptor
    ) throws(VaultError) -> ProtectionInfo

    /// Counts the files of the whole tree by what their headers say. `progressed` is told from time to time how far it is; false ends
    /// it.
    func census(_ progressed: (Census) -> Bool) throws(VaultError) -> Census

    /// Checks the whole tree, or one file or directory in it, and what belongs to it; with `repair` mends what can be mended and moves
    /// the rest out of the way.
    ///
    /// `descriptor`: of what is to be checked, in the mount or in the backing directory; nil for everything.
    func verify(
        _ descriptor: Descriptor?, repair: Bool, _ listener: any VerifyListener
    ) throws(VaultError) -> VerifyCounts
}
