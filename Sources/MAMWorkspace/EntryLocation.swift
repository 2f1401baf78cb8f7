// The location of a file that is being rewritten.

internal import MAMModel
internal import MAMSystem
internal import MAMTree

/// A file's directory in the backing tree, and its name there.
struct EntryLocation {
    let directory: Descriptor
    let parentNode: UInt64
    let name: [CChar]
}

extension EntryLocation {
    init(_ found: WalkedEntry) {
        self.init(
            directory: found.parent.handle, parentNode: found.parent.node,
            name: found.name.cString)
    }
}
