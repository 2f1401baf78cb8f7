// Checks the tree and the workspace's own files.

internal import Glibc
internal import MAMModel
internal import MAMStore
package import MAMSystem
package import MAMTree
package import MAMVault

/// Checks the tree, or part of it.
package struct Verify: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    package func verify(
        _ descriptor: Descriptor?, repair: Bool, _ listener: any VerifyListener
    ) throws(VaultError) -> VerifyCounts {
        if repair, tree.isReadOnly { throw VaultError(.readOnly) }
        let start = try descriptor.flatMap { descriptor throws(VaultError) in
            try relativePath(ofMemberOfTree: descriptor)
        }
        let run: VerifyRun
        do throws(Errno) {
            run = try VerifyRun(tree, repair ? Repair(in: tree.root) : nil)
        } catch { throw VaultError(error) }
        let reporter = VerifyReporter(run, listener, tree.vault)
        defer { run.close() }
        if tree.isBackingGone {
            run.add(.backingGone)
        } else if tree.isOwnDirectoryGone {
            run.add(.ownDirectoryGone)
        }
        if let start {
            try walk(from: start, run, reporter, repair)
        } else {
            walk(from: nil, run, reporter, repair)
            for finding in checkRoot(repair) { run.add(finding) }
            Surroundings(tree).surroundings(repair) { finding in
                run.add(finding)
                reporter.reportIfDue()
            }
        }
        run.close()
        var counts = reporter.finish()
        counts.isWhole = start == nil
        // Files that were not examined may be damaged.
        guard run.shallGoOn else { throw VaultError(.canceled) }
        return counts
    }

    /// A file's or directory's path below the root, from a descriptor in the mount or the backing
    /// directory. Nil for the root itself.
    func relativePath(
        ofMemberOfTree descriptor: Descriptor
    ) throws(VaultError) -> ByteString? {
        try systemCall { () throws(Errno) in
            let path = try currentPath(of: descriptor.raw)
            let tops = [tree.mountPoint, try currentPath(of: tree.root.raw)]
            if tops.contains(path) { return nil }
            for top in tops where !top.bytes.isEmpty {
                if let relative = path.relative(to: top) { return relative }
            }
            throw .noEntry
        }
    }

    /// The walk does not visit the root.
    private func checkRoot(_ repair: Bool) -> [Finding] {
        guard let root = try? tree.table.inode(InodeTable.rootNode) else { return [] }
        return NoteCheck(tree).checkNotes(of: root, at: ByteString("."), repair)
    }

    private func walk(
        from path: ByteString, _ run: VerifyRun, _ reporter: VerifyReporter, _ repair: Bool
    ) throws(VaultError) {
        let found = try systemCall { () throws(Errno) in try Walk(tree).find(path) }
        defer { tree.leave(found.entry.inode.node) }
        visit(found, run, reporter, repair)
        if found.entry.inode.isDirectory { walk(from: found, run, reporter, repair) }
    }

    private func walk(
        from start: WalkedEntry?, _ run: VerifyRun, _ reporter: VerifyReporter, _ repair: Bool
    ) {
        _ = Walk(tree).walk(
            from: start?.entry.inode, at: start?.path ?? ByteString(""),
            while: {
                // Even among directories alone: a caller that hung up ends the check.
                reporter.reportIfDue()
                return run.shallGoOn
            }
        ) { path, error in
            run.add(Finding(path, unreadableFor: error))
        } _: { found in
            visit(found, run, reporter, repair)
            return true
        }
    }

    private func visit(
        _ found: WalkedEntry, _ run: VerifyRun, _ reporter: VerifyReporter, _ repair: Bool
    ) {
        if found.entry.inode.isDirectory {
            for finding in NoteCheck(tree).checkNotes(of: found.entry.inode, at: found.path, repair)
            {
                run.add(finding)
            }
            return
        }
        do throws(Errno) {
            if let item = try FileCheck(tree).hold(found) { add(item, run, reporter) }
        } catch {
            if !error.meansGone { run.add(Finding(found.path, unreadableFor: error)) }
        }
    }

    private func add(_ item: VerifyItem, _ run: VerifyRun, _ reporter: VerifyReporter) {
        while run.shallGoOn {
            if run.add(item) { return reporter.reportIfDue() }
            reporter.wait()
        }
        FileCheck(tree).letGo(item)
    }
}

/// Reports the threads' findings to the listener, on the walking thread.
final class VerifyReporter {
    private let run: VerifyRun
    private let listener: any VerifyListener
    private let vault: Vault
    private var nextReport = Deadline(milliseconds: interval)

    private static let interval = 200

    init(_ run: VerifyRun, _ listener: any VerifyListener, _ vault: Vault) {
        self.run = run
        self.vault = vault
        self.listener = listener
    }

    func wait() {
        run.waitForNews(until: nextReport)
        reportIfDue()
    }

    func reportIfDue() {
        guard nextReport.hasPassed else { return }
        nextReport = Deadline(milliseconds: Self.interval)
        let counts = reportFindings()
        if run.shallGoOn, !listener.progressed(counts) { run.cancel() }
    }

    /// Waits until everything is done.
    func finish() -> VerifyCounts {
        while !run.isDone { wait() }
        return reportFindings()
    }

    private func reportFindings() -> VerifyCounts {
        let (findings, counts) = run.takeNews()
        for finding in findings where run.shallGoOn {
            FileAudit(vault).audit(finding)
            if !listener.found(finding) { run.cancel() }
        }
        return counts
    }
}

extension Finding {
    /// There may be no file left to find anything wrong with.
    fileprivate static var backingGone: Finding {
        Finding(
            ByteString("."), .unreadable,
            "the backing directory was deleted while it is mounted: what is written now is lost",
            .left(nil))
    }

    fileprivate static var ownDirectoryGone: Finding {
        Finding(
            ByteString(Tree.hiddenName), .unreadable,
            "it was deleted while the workspace is mounted: files are as they were, but change no"
                + " owners until it is unmounted, and mounted by name", .left(nil))
    }
}
