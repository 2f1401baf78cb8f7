// Checking what is not in the tree: keybags, and the workspace's own directory.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMVault

extension FileSystem {
    func surroundings(_ repair: Bool) -> [Finding] {
        vault.checkKeybags(repair: repair) + vault.checkWipes(repair: repair, in: self)
            + checkWorkDirectory(repair)
    }

    /// What an interrupted change of owner left. The next start would remove it.
    private func checkWorkDirectory(_ repair: Bool) -> [Finding] {
        guard let workDirectory else { return [] }
        let place = ByteString("\(Self.hiddenName)/work")
        let names: [ByteString]
        do throws(Errno) { names = try entries(of: workDirectory.raw) } catch {
            return [Finding(place, .unreadable, "\(error)", .left(nil))]
        }
        return names.filter { !ConvertedCopy.isOurs($0) }.map { name in
            let path = place.appending(name)
            let reason = "an interrupted change of owner left it"
            guard repair else { return Finding(path, .leftover, reason, .left(nil)) }
            guard unlinkat(workDirectory.raw, name.cString, 0) == 0 else {
                return Finding(path, .leftover, reason, .left("\(Errno.current)"))
            }
            return Finding(path, .leftover, reason, .repaired("removed"))
        }
    }
}
