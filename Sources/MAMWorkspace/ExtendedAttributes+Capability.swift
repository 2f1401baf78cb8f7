// Refuses writes from inside the kernel's lock on a file; see WriteGuard.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension ExtendedAttributes {
    static let capability: StaticString = "security.capability"

    func isCapability(_ name: Name) -> Bool { strcmp(name, Self.capability.cString) == 0 }

    /// Why writes may not enter the kernel's cache of an inode; nil if they may.
    private func refusalOfWrites(to state: Inode.State) -> Errno? {
        guard let file = state.file else { return nil }
        if tree.isStopping { return .notConnected }
        if let refusal = file.refusalOfCachedWrites { return refusal.errno }
        if let failure = state.failedWriteBack { return failure }
        return tree.room.isLow && state.hasCachedWriters ? .noSpace : nil
    }

    /// True if the kernel shall believe that there are capabilities to remove.
    func pretendsCapability(of inode: Inode, to thread: Int32) -> Bool {
        inode.withState { state in
            if state.writeGuard.endsTruncation(of: thread) { return false }
            guard refusalOfWrites(to: state) != nil else {
                state.writeGuard.windowIsOpen()
                return false
            }
            state.writeGuard.notePretence(to: thread)
            return true
        }
    }

    /// True if the file is known to have none, for one question.
    func takeLackOfCapability(of inode: Inode) -> Bool {
        inode.withState { $0.takeLackOfCapability() }
    }

    /// Removes a file's capabilities, if there are any; refuses that to a writer.
    func removeCapability(of inode: Inode, for caller: Caller) throws(Errno) {
        let (removal, refusal, file) = inode.withState { state in
            let removal = state.writeGuard.removal(by: caller.thread)
            defer { if removal == .writing { state.noteTold() } }
            return (removal, refusalOfWrites(to: state), state.file)
        }
        if let refusal, removal == .writing {
            if let file, let reason = file.refusalOfCachedWrites {
                Auditing(tree).record(reason, of: .write, inode, file.header, for: caller)
            }
            throw refusal
        }
        // Only root may remove it, and what was only pretended is not there.
        if removal != .genuine, try !hasCapability(inode) { return }
        try removeExtendedAttribute(Self.capability.cString, of: inode)
    }

    private func hasCapability(_ inode: Inode) throws(Errno) -> Bool {
        let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        do throws(Errno) {
            _ = try storedAttribute(Self.capability.cString, of: inode, into: nothing)
            return true
        } catch {
            guard [.noData, .notSupported].contains(error) else { throw error }
            return false
        }
    }
}
