// Calls that give content of an account away: who gives, what, and to whom.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension VaultInterface {
    /// The caller. `override`: the call's reason for acting against policy, which only root may
    /// have, and only where the daemon is root's too: a user's own policy is not root's to bend.
    func giver(_ call: VarlinkCall, override: String?) throws(VarlinkError) -> Giver {
        if let override {
            guard currentUser == 0, call.peer.uid == 0 else {
                throw .refused(
                    "only root may override policy, and only where root's daemon serves the"
                        + " workspace")
            }
            guard override.contains(where: { !$0.isWhitespace }) else {
                throw .invalidInput("override is the reason, and must not be empty")
            }
        }
        return Giver(
            found(for: call.peer), operation: operation(of: call), process: call.peer.pid,
            user: call.peer.uid, override: override)
    }

    /// Who gets what is written to a descriptor: the account of a file in the mount, else nobody.
    func receiver(of destination: Descriptor?) -> Identity {
        guard let destination, Answers(tree).contain(destination),
            let info = try? Answers(tree).protection(of: destination), info.isManaged
        else { return .nobody }
        return info.owner
    }

    /// Refuses a protected source to a caller that may not act for its account or may not read it,
    /// and to a receiver that may not have it.
    func requireGift(
        _ call: VarlinkCall, _ gift: Gift, of header: FileHeader, in source: Descriptor? = nil,
        to receiver: Identity
    ) throws(VaultError) {
        try requireControl(call, of: header)
        try gift.check(header, to: receiver, isCopy: true) { source.flatMap(place(of:)) }
    }

    /// The same for a source that the mount shows in the clear; others are read as they are.
    func requireGift(
        _ gift: Gift, ofShown source: Descriptor, to receiver: Identity
    ) throws(VaultError) {
        guard Answers(tree).contain(source), isRegular(source) else { return }
        let info = try Answers(tree).protection(of: source)
        try gift.check(info, to: receiver) { place(of: source) }
    }

    /// A source in the mount that policy lets root name but not open is opened for an override.
    func opened(_ source: Descriptor, by giver: Giver) throws(VarlinkError) -> Descriptor {
        guard giver.override != nil, Answers(tree).contain(source) else { return source }
        do throws(Errno) {
            return try tree.overriding { () throws(Errno) in try reopen(source.raw, O_RDONLY) }
        } catch { throw .systemError(error, "the source") }
    }

    /// Whether the mount shows a copy of a sealed file or of a stream.
    func holdsProtectedData(_ source: Descriptor) throws(VaultError) -> Bool {
        try systemCall { () throws(Errno) in
            let size = try MAMSystem.status(of: source.raw).st_size
            return try FileFacts(of: source, physicalSize: Int64(size), orStream: true).header
                != nil
        }
    }

    private func isRegular(_ file: Descriptor) -> Bool {
        (try? CachedFacts(of: file.raw))?.type == S_IFREG
    }

    /// For the audit: below the mount, or absolute; nil for what has no name.
    func place(of source: Descriptor) -> ByteString? {
        guard let path = try? currentPath(of: source.raw), path.bytes.first == UInt8(ascii: "/")
        else { return nil }
        return path.relative(to: tree.mountPoint) ?? path
    }
}
