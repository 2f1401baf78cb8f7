// Checks files outside the tree: keybags, and the workspace's own directory.

internal import Glibc
internal import MAMFormat
internal import MAMKeyring
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Checks keybags, wipes and leftovers.
package struct Surroundings: UseCase {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    func surroundings(_ repair: Bool, _ add: (Finding) -> Void) {
        for finding in checkKeybags(repair: repair) { add(finding) }
        for finding in Wipe(tree).checkWipes(repair: repair) { add(finding) }
        checkWorkDirectory(repair, add)
    }

    private func checkKeybags(repair: Bool) -> [Finding] {
        do throws(KeyringError) {
            return try vault.keyring.checkKeybags(repair: repair).compactMap(Finding.init)
        } catch {
            return [Finding(ByteString("keybags"), in: .state, .unreadable, "\(error)", .left(nil))]
        }
    }

    /// Leftovers of an interrupted change of owner. The next start would remove them.
    private func checkWorkDirectory(_ repair: Bool, _ add: (Finding) -> Void) {
        guard let workDirectory = tree.workDirectory else { return }
        let place = ByteString("\(Tree.hiddenName)/work")
        do throws(Errno) {
            try forEachEntry(of: workDirectory.raw) { name in
                let name = ByteString(cString: name)
                if !ConvertedCopy.isOurs(name) { add(leftover(name, in: place, repair)) }
                return true
            }
        } catch { add(Finding(place, .unreadable, "\(error)", .left(nil))) }
    }

    private func leftover(
        _ name: ByteString, in place: ByteString, _ repair: Bool
    ) -> Finding {
        let path = place.appending(name)
        let reason: Message = "an interrupted change of owner left it"
        guard repair, let workDirectory = tree.workDirectory else {
            return Finding(path, .leftover, reason, .left(nil))
        }
        guard unlinkat(workDirectory.raw, name.cString, 0) == 0 else {
            return Finding(path, .leftover, reason, .left("\(Errno.current)"))
        }
        return Finding(path, .leftover, reason, .repaired("removed"))
    }
}

extension Finding {
    /// Nil for findings about other files.
    fileprivate init?(_ finding: KeyringFinding) {
        func path(_ name: String) -> ByteString { ByteString("keybags/\(name)") }
        switch finding {
        case .repaired(let name, let error):
            self.init(path(name), in: .state, .keybag, "\(error)", .repaired("written again"))
        case .completed(let name):
            self.init(
                path(name), in: .state, .keybag, "it was older than its other copy",
                .repaired("written again"))
        case .outOfDate(let name, let error):
            let reason = error?.message ?? "it is older than its other copy"
            self.init(path(name), in: .state, .keybag, reason, .left(nil))
        case .notRepaired(let name, let error):
            self.init(
                path(name), in: .state, .keybag, "it is not as its other copy", .left("\(error)"))
        case .unreadable(let name, .newerVersion(let version)):
            self.init(
                path(name), in: .state, .newer, "\(KeybagError.newerVersion(version))", .unchecked)
        case .unreadable(let name, let error):
            self.init(path(name), in: .state, .keybag, "\(error)", .left(nil))
        case .notErased(let name, let error):
            self.init(
                path(name), in: .state, .leftover, "a change of it was interrupted",
                .left("\(error)"))
        case .wipeDamaged(let account):
            self.init(
                ByteString("wipes/\(account.bytes)"), in: .state, .wipe, "its record is damaged",
                .left(nil))
        case .wipeNewer(let record):
            self.init(ByteString(record.fileName), in: .state, .newer, "\(record)", .unchecked)
        case .notDestroyed, .wipeNotEnded, .notDurable, .attemptsDamaged, .attemptsNewer,
            .attemptsNotWritten, .historyDamaged, .historyNotWritten:
            return nil
        }
    }
}
