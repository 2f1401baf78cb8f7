// What changes of an inode while the kernel knows it.

package import MAMModel
package import MAMStore
package import MAMVault

extension Inode {
    /// Guarded by the inode's lock.
    ///
    /// Of the inodes that are known nearly all are neither open nor directories that files are made
    /// in. What those alone need stands apart, in ``Uses``: an inode that was only looked up has
    /// none.
    package struct State {
        /// Nil for what is not a regular file, or could not be read.
        package var facts: FileFacts?
        /// It is being written anew for another owner; it can be used meanwhile.
        package var isConverting = false
        /// It is being repaired, or moved away; nobody may open it meanwhile.
        package var isHeld = false
        /// Another file stands at its name now: whoever opens it must look the name up again.
        package var isReplaced = false
        /// Whether the shared backing descriptor may write.
        package var isWritable = false
        /// How often ``openCount`` has changed, or the owner.
        package var useCount = 0
        /// Where the kernel last found it: enough to make the kernel forget it, and to tell an
        /// empty file's class when it is begun. A rename makes it stale: it is then forgotten
        /// later, and gets the class of where it was made.
        package var lastParent: UInt64 = 0
        package var lastName = LastName.none
        private var uses: Uses?

        package init(facts: FileFacts?) { self.facts = facts }

        /// What its header says is then what is known of it.
        package mutating func dropUnusedFile() {
            if openCount == 0, let file { facts = file.facts }
            if openCount == 0, checkCount == 0 { file = nil }
        }

        /// Gives back the memory of uses that have ended.
        package mutating func dropUses() {
            if let uses, uses.areNone { self.uses = nil }
        }
    }

    /// What is there of an inode while somebody uses it, or makes files in it.
    ///
    /// Unchecked: only the state refers to it, and that is guarded by the inode's lock.
    package final class Uses: @unchecked Sendable {
        package var file: VaultFile?
        package var openCount = 0
        package var checkCount = 0
        package var lastOpener: Int32 = 0
        package var writerCount = 0
        package var writeGuard = WriteGuard()
        package var childClass: KnownNote<ProtectionClass> = .unread
        package var childOwner: KnownNote<Identity> = .unread

        fileprivate var areNone: Bool {
            guard file == nil, openCount == 0, checkCount == 0, writerCount == 0 else {
                return false
            }
            guard case .unread = childClass, case .unread = childOwner else { return false }
            return writeGuard.isIdle
        }
    }
}

extension Inode.State {
    private var inUse: Inode.Uses {
        mutating get {
            if let uses { return uses }
            let new = Inode.Uses()
            uses = new
            return new
        }
    }

    /// Present while at least one handle is open, or the file is being checked.
    package var file: VaultFile? {
        get { uses?.file }
        set { if uses != nil || newValue != nil { inUse.file = newValue } }
    }

    package var openCount: Int {
        get { uses?.openCount ?? 0 }
        set {
            inUse.openCount = newValue
            useCount += 1
        }
    }

    /// Checks that use ``file``, open or not; who opens the file meanwhile shares it.
    package var checkCount: Int {
        get { uses?.checkCount ?? 0 }
        set { inUse.checkCount = newValue }
    }

    /// The thread that opened it last, for people to be told. 0: none.
    package var lastOpener: Int32 {
        get { uses?.lastOpener ?? 0 }
        set { inUse.lastOpener = newValue }
    }

    /// Handles that may write: while there are any, the kernel may hold content and a size that we
    /// do not know.
    package var writerCount: Int {
        get { uses?.writerCount ?? 0 }
        set { inUse.writerCount = newValue }
    }

    package var writeGuard: WriteGuard {
        get { uses?.writeGuard ?? WriteGuard() }
        _modify { yield &inUse.writeGuard }
    }

    /// A directory's class for new children, once it was read.
    package var childClass: KnownNote<ProtectionClass> {
        get { uses?.childClass ?? .unread }
        set { inUse.childClass = newValue }
    }

    /// A directory's owner for new children, once it was read.
    package var childOwner: KnownNote<Identity> {
        get { uses?.childOwner ?? .unread }
        set { inUse.childOwner = newValue }
    }
}
