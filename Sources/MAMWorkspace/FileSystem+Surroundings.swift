// Checking what is not in the tree: keybags, and the workspace's own directory.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault

extension FileSystem {
    func surroundings(_ repair: Bool, _ add: (Finding) -> Void) {
        for finding in vault.checkKeybags(repair: repair) { add(finding) }
        for finding in vault.checkWipes(repair: repair, in: self) { add(finding) }
        checkWorkDirectory(repair, add)
    }

    /// What an interrupted change of owner left. The next start would remove it.
    private func checkWorkDirectory(_ repair: Bool, _ add: (Finding) -> Void) {
        guard let workDirectory else { return }
        let place = ByteString("\(Self.hiddenName)/work")
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
        let reason = "an interrupted change of owner left it"
        guard repair, let workDirectory else { return Finding(path, .leftover, reason, .left(nil)) }
        guard unlinkat(workDirectory.raw, name.cString, 0) == 0 else {
            return Finding(path, .leftover, reason, .left("\(Errno.current)"))
        }
        return Finding(path, .leftover, reason, .repaired("removed"))
    }
}
