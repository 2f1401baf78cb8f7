// The mutable state of an inode.

package import Glibc
package import MAMModel
package import MAMStore
internal import MAMSystem
package import MAMVault

extension Inode {
    /// Guarded by the inode's lock.
    ///
    /// Nearly all known inodes are neither open nor directories with new children. The fields for
    /// those are kept apart in ``Uses``, which an inode that was only looked up does not have.
    package struct State {
        /// Nil unless it is a regular file whose header was read.
        package var facts: FileFacts?
        /// Whether a listing made it known by its note alone (``Lookup/read(_:)``).
        private let isListed: Bool
        /// Being rewritten for another owner; usable meanwhile.
        package var isConverting = false
        /// Being repaired or moved away; opening it fails meanwhile.
        package var isHeld = false
        /// Another file took its name: to open it, look the name up again. Set by
        /// ``InodeTable/replace(_:_:)``.
        package internal(set) var isReplaced = false
        /// Whether the shared backing descriptor may write.
        package var isWritable = false
        /// How often ``openCount`` or the owner changed.
        package var useCount = 0
        /// Where the kernel last found it: enough to make the kernel forget it, and to choose an
        /// empty file's class when it is begun. A rename makes it stale: the inode is then evicted
        /// later, and the file gets the class of the directory it was created in.
        package var lastParent: UInt64 = 0
        package var lastName = LastName.none
        private var uses: Uses?

        package init(facts: FileFacts?, isListed: Bool = false, isNew: Bool = false) {
            self.facts = facts
            self.isListed = isListed
            if isNew { inUse.isWithoutCapability = true }
        }

        /// Whether its header is still to be read.
        package var isUnread: Bool { isListed && facts == nil && file == nil }

        /// The kernel was told a sealed file's size, and its header does not say another.
        var isShownAsSealed: Bool {
            if isListed, file == nil, case .damaged = facts { return true }
            return isUnread
        }

        /// From then on, the header is all that is known of it.
        package mutating func dropUnusedFile() {
            if openCount == 0, let file { facts = file.facts }
            if openCount == 0, checkCount == 0 { file = nil }
        }

        /// Frees the memory of past uses.
        package mutating func dropUses() {
            if let uses, uses.areNone { self.uses = nil }
        }
    }

    /// The part of an inode's state that exists only while it is open, checked, or has new
    /// children.
    ///
    /// @unchecked: referenced only by the state, which the inode's lock guards.
    package final class Uses: @unchecked Sendable {
        package var file: VaultFile?
        package var openCount = 0
        fileprivate var insiders = Insiders()
        package var checkCount = 0
        package var lastOpener: Int32 = 0
        package var writerCount = 0
        fileprivate var directWriterCount = 0
        package var failedWriteBack: Errno?
        fileprivate var toldModification: timespec?
        package var writeGuard = WriteGuard()
        fileprivate var isWithoutCapability = false
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

    /// Set while a handle is open or a check is running.
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

    /// Counts a handle. `account`: the one that the file is confined to now; nil: to none.
    package mutating func addHandle(of account: AccountID?, _ access: Access, by thread: Int32) {
        openCount += 1
        if let account { inUse.insiders.add(account) }
        if access != .read { writerCount += 1 }
        if access == .writeDirectly {
            inUse.directWriterCount += 1
            inUse.toldModification = nil
        }
        lastOpener = thread
    }

    package mutating func removeHandle(of account: AccountID?, _ access: Access) {
        openCount -= 1
        if let account { inUse.insiders.remove(account) }
        if access != .read { writerCount -= 1 }
        if access == .writeDirectly { inUse.directWriterCount -= 1 }
        if writerCount == 0, uses?.failedWriteBack != nil { failedWriteBack = nil }
    }

    /// What a handle is for.
    package enum Access: Sendable {
        case read
        case write
        /// Past the kernel's cache.
        case writeDirectly
    }

    /// A writer was told of ``failedWriteBack``. What follows behind a lost end is refused until
    /// the kernel has taken it.
    package mutating func noteTold() {
        if let uses, uses.file?.lostEnd == nil { uses.failedWriteBack = nil }
    }

    /// The modification time that the kernel, which manages it while it caches writes, has told
    /// last. Kept only as long.
    package var toldModification: timespec? {
        get { uses?.toldModification }
        set { if hasCachedWriters { inUse.toldModification = newValue } }
    }

    /// Whether write(2) may end in the kernel's cache.
    package var hasCachedWriters: Bool {
        guard let uses else { return false }
        return uses.writerCount > uses.directWriterCount
    }

    /// Why data from the kernel's cache was not stored, or only in the reserve (``Room``): the next
    /// writer is told.
    package var failedWriteBack: Errno? {
        get { uses?.failedWriteBack }
        set { if uses != nil || newValue != nil { inUse.failedWriteBack = newValue } }
    }

    /// Whether all handles were opened under the rules of this account's contained programs.
    package func areHandles(of account: AccountID) -> Bool {
        openCount == 0 || uses?.insiders.count(of: account) == openCount
    }

    /// Checks that use ``file``; programs that open it meanwhile share it.
    package var checkCount: Int {
        get { uses?.checkCount ?? 0 }
        set { inUse.checkCount = newValue }
    }

    /// The thread that last opened it, for messages. 0: none.
    package var lastOpener: Int32 {
        get { uses?.lastOpener ?? 0 }
        set { inUse.lastOpener = newValue }
    }

    /// Handles that may write: while there are any, the kernel may have content and a size that the
    /// daemon does not know yet.
    package var writerCount: Int {
        get { uses?.writerCount ?? 0 }
        set { inUse.writerCount = newValue }
    }

    package var writeGuard: WriteGuard {
        get { uses?.writeGuard ?? WriteGuard() }
        _modify { yield &inUse.writeGuard }
    }

    /// True for the first question after a file was made, unless the attribute was set meanwhile:
    /// the kernel asks at the first write, and a file begins without capabilities.
    package mutating func takeLackOfCapability() -> Bool {
        guard let uses, uses.isWithoutCapability else { return false }
        uses.isWithoutCapability = false
        return true
    }

    /// A directory's class for new children, once read.
    package var childClass: KnownNote<ProtectionClass> {
        get { uses?.childClass ?? .unread }
        set { inUse.childClass = newValue }
    }

    /// A directory's owner for new children, once read.
    package var childOwner: KnownNote<Identity> {
        get { uses?.childOwner ?? .unread }
        set { inUse.childOwner = newValue }
    }
}
