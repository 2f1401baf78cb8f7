// Checks files outside the tree: keybags, and the workspace's own directory.

internal import Glibc
internal import MAMModel
internal import MAMSystem
package import MAMTree
internal import MAMVault

/// Checks keybags, wipes and leftovers.
package struct Surroundings: Sendable {
    let tree: Tree

    package init(_ tree: Tree) { self.tree = tree }

    func surroundings(_ repair: Bool, _ add: (Finding) -> Void) {
        for finding in KeybagCheck(tree.vault).checkKeybags(repair: repair) { add(finding) }
        for finding in Wipe(tree).checkWipes(repair: repair) { add(finding) }
        checkWorkDirectory(repair, add)
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
