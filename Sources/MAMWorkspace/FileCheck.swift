// Checks one file of the tree, possibly while it is in use.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// An examination of a file, which may lead to a repair.
struct Look {
    let item: VerifyItem
    /// The file's count of opens and closes when the examination began.
    let useCount: Int
    let repair: Repair?
}

/// The file was opened, closed or replaced meanwhile, so the findings may be outdated.
struct Outdated: Error {}

/// Checks one file.
package struct FileCheck: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    /// `progressed` gets the number of bytes examined.
    func check(
        _ item: VerifyItem, _ repair: Repair?, tries: Int = 5, while shallGoOn: () -> Bool,
        progressed: (Int64) -> Void
    ) -> CheckedFile {
        do throws(Outdated) {
            return try look(at: item, repair, while: shallGoOn, progressed)
        } catch {
            guard tries > 1 else {
                let reason: Message = "it is being changed all the time"
                return CheckedFile(findings: [Finding(item.path, .unreadable, reason, .unchecked)])
            }
            // Its name may lead to another file by now, or to none.
            let next: VerifyItem
            do throws(Errno) {
                guard let held = try holdAgain(item) else { return CheckedFile() }
                next = held
            } catch {
                return CheckedFile(findings: [Finding(item.path, unreadableFor: error)])
            }
            defer { letGo(next) }
            return check(
                next, repair, tries: tries - 1, while: shallGoOn, progressed: progressed)
        }
    }

    private func look(
        at item: VerifyItem, _ repair: Repair?, while shallGoOn: () -> Bool,
        _ progressed: (Int64) -> Void
    ) throws(Outdated) -> CheckedFile {
        let look = Look(item: item, useCount: item.inode.withState { $0.useCount }, repair: repair)
        let file: VaultFile
        do throws(VaultError) { file = try beginCheck(item.inode) } catch {
            return CheckedFile(findings: [try finding(for: error, look)])
        }
        defer { item.inode.letFileGo() }
        let (access, problems): (VaultFile.CheckAccess, FileProblems?)
        do throws(VaultError) {
            access = try file.prepareCheck()
            problems = try self.problems(of: file, item, while: shallGoOn, progressed)
        } catch { return CheckedFile(findings: [try finding(for: error, look)]) }
        // A partial result proves nothing: what follows may be beyond repair.
        guard let problems else { return CheckedFile() }
        return try result(of: look, file, access, problems)
    }

    /// The inode's file, shared with its users, until ``Inode/letFileGo()``.
    func beginCheck(_ inode: Inode) throws(VaultError) -> VaultFile {
        Creator(tree).awaitMakers()
        return try inode.withState { state throws(VaultError) in
            if state.isReplaced { throw VaultError(.staleHandle) }
            if let file = state.file {
                state.checkCount += 1
                return file
            }
            let (descriptor, isWritable) = try systemCall { () throws(Errno) in
                try tree.evictor.makingRoom { () throws(Errno) in
                    try Handles(tree).openForUse(inode, writes: false)
                }
            }
            let file = try Unsealed(tree).takeIntoUse(descriptor, state)
            state.file = file
            state.isWritable = isWritable
            state.checkCount += 1
            return file
        }
    }

    /// Nil if the examination did not reach the file's end.
    private func problems(
        of file: VaultFile, _ item: VerifyItem, while shallGoOn: () -> Bool,
        _ progressed: (Int64) -> Void
    ) throws(VaultError) -> FileProblems? {
        var problems = FileProblems()
        var offset: Int64? = 0
        while let here = offset {
            guard shallGoOn() else { return nil }
            do throws(StoreError) { offset = try file.check(at: here, &problems) } catch {
                throw .store(error)
            }
            progressed((offset ?? max(here, item.byteCount)) - here)
        }
        return problems
    }

    private func result(
        of look: Look, _ file: VaultFile, _ access: VaultFile.CheckAccess,
        _ problems: FileProblems
    ) throws(Outdated) -> CheckedFile {
        var result = CheckedFile()
        result.lackedKey = file.header?.isManaged == true && problems.lackedKey
        let path = look.item.path
        if access == .keyMissing {
            let reason = VaultError.keyMissing(file.owner).message
            result.findings.append(Finding(path, .keyMissing, reason, .unchecked))
        }
        if let finding = Unsealed(tree).checkSeal(of: look.item, file.header) {
            result.findings.append(finding)
        }
        if let finding = Unsealed(tree).noteForeign(look.item, file) {
            result.findings.append(finding)
        }
        guard !problems.isClean else { return result }
        let outcomes = try FileRepair(tree).outcomes(for: look, file, problems)
        result.findings += problems.findings(at: path, outcomes)
        return result
    }

    /// For a file that could not be opened, or whose key does not unwrap.
    private func finding(for error: VaultError, _ look: Look) throws(Outdated) -> Finding {
        let path = look.item.path
        let problem: Finding.Problem
        var reason = error.message
        switch error {
        case .store(.system(.staleHandle)): throw Outdated()
        case .store(.system(let error)): return Finding(path, unreadableFor: error)
        case .store(.header(.newerVersion)): return Finding(path, .newer, reason, .unchecked)
        case .store(.header): problem = .header
        case .store(.unsealed): problem = .unsealed
        case .store(.impossibleSize): problem = .size
        case .store(.damaged):
            problem = .header
            reason = "its key does not open: the header was changed or damaged"
        default: return Finding(path, .unreadable, reason, .left(nil))
        }
        return Finding(
            path, problem, reason, try FileRepair(tree).quarantine(look, because: reason.english))
    }
}

/// Holds one look-up of its inode, so that a program that opens the file meanwhile gets the same
/// inode.
struct VerifyItem: Sendable {
    let inode: Inode
    let parent: Inode
    let name: ByteString
    /// Relative to the root.
    let path: ByteString
    let byteCount: Int64
}

extension FileCheck {
    /// Nil for what a check does not examine.
    func hold(_ found: WalkedEntry) throws(Errno) -> VerifyItem? {
        let inode = found.entry.inode
        guard inode.isRegular else { return nil }
        // It was truncated or moved under another of its names since it was found.
        guard let held = tree.table.lookUp(inode.backingID) else {
            return try hold(found.name, in: found.parent, found.path)
        }
        let item = VerifyItem(
            inode: held, parent: found.parent, name: found.name, path: found.path,
            byteCount: try byteCount(of: held))
        return item
    }

    /// The file that its name leads to now; nil if there is nothing to check.
    func holdAgain(_ item: VerifyItem) throws(Errno) -> VerifyItem? {
        try hold(item.name, in: item.parent, item.path)
    }

    private func hold(
        _ name: ByteString, in parent: Inode, _ path: ByteString
    ) throws(Errno) -> VerifyItem? {
        let entry: Entry
        do throws(Errno) {
            entry = try Lookup(tree).lookUpEvenHidden(name.cString, in: parent)
        } catch {
            if error.meansGone || error == .crossDevice { return nil }
            throw error
        }
        guard entry.inode.isRegular else {
            tree.forget(entry.inode.node, count: 1)
            return nil
        }
        return VerifyItem(
            inode: entry.inode, parent: parent, name: name, path: path,
            byteCount: try byteCount(of: entry.inode))
    }

    /// Releases the held inode on failure.
    private func byteCount(of inode: Inode) throws(Errno) -> Int64 {
        do throws(Errno) { return Int64(try status(at: inode.handle.raw, "").st_size) } catch {
            tree.forget(inode.node, count: 1)
            throw error
        }
    }

    func letGo(_ item: VerifyItem) { tree.forget(item.inode.node, count: 1) }
}
