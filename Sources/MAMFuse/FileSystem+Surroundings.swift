// Checking what is not a file of the tree: directories' classes, keybags, and the workspace's own directory.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMVault

extension FileSystem {
    func checkClass(of found: WalkedEntry, _ repair: Bool) -> Finding? {
        let directory = found.entry.inode
        guard !ChildClass.isValid(of: directory.handle) else { return nil }
        let reason = "its class for new files makes no sense, and counts as A"
        guard repair else { return Finding(found.path, .directoryClass, reason, .left(nil)) }
        do throws(Errno) {
            try setChildClass(.complete, of: directory)
            return Finding(found.path, .directoryClass, reason, .repaired("set to A"))
        } catch {
            return Finding(found.path, .directoryClass, reason, .left("\(error)"))
        }
    }

    func checkOwner(of found: WalkedEntry, _ repair: Bool) -> Finding? {
        let directory = found.entry.inode
        guard !ChildOwner.isValid(of: directory.handle) else { return nil }
        let reason = "its owner for new files makes no sense, and counts as none"
        guard repair else { return Finding(found.path, .directoryOwner, reason, .left(nil)) }
        do throws(Errno) {
            try setChildOwner(nil, of: directory)
            return Finding(found.path, .directoryOwner, reason, .repaired("taken away"))
        } catch {
            return Finding(found.path, .directoryOwner, reason, .left("\(error)"))
        }
    }

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
