// The files below a directory that are sealed, by their headers: how many, and whose.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem

/// Counts files that cannot be read too, as they may be sealed.
func sealedCount(below directory: Descriptor) -> Int {
    guard let names = try? entries(of: directory.raw) else { return 1 }
    return names.reduce(0) { $0 + sealedCount(of: $1, in: directory) }
}

private func sealedCount(of name: ByteString, in directory: Descriptor) -> Int {
    guard let status = try? status(at: directory.raw, name.cString) else { return 1 }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        guard let inner = try? openFile(at: directory.raw, name.cString, flags) else { return 1 }
        return sealedCount(below: inner)
    case S_IFREG: return isSealed(name, in: directory) ? 1 : 0
    default: return 0
    }
}

private func isSealed(_ name: ByteString, in directory: Descriptor) -> Bool {
    switch facts(of: name, in: directory) {
    case .protected(let header): header.isManaged
    case .damaged, nil: true
    case .empty, .unwritten, .foreign: false
    }
}

/// Whose the first sealed file is that is found.
func sealedOwner(below directory: Descriptor) -> Identity? {
    let names = (try? entries(of: directory.raw)) ?? []
    return names.lazy.compactMap { sealedOwner(of: $0, in: directory) }.first
}

private func sealedOwner(of name: ByteString, in directory: Descriptor) -> Identity? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    if let inner = try? openFile(at: directory.raw, name.cString, flags) {
        return sealedOwner(below: inner)
    }
    guard case .protected(let header) = facts(of: name, in: directory), header.isManaged else {
        return nil
    }
    return header.owner
}

/// Nil if it cannot be read.
private func facts(of name: ByteString, in directory: Descriptor) -> FileFacts? {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    guard let file = try? openFile(at: directory.raw, name.cString, flags),
        let size = try? status(of: file.raw).st_size
    else { return nil }
    return try? FileFacts(of: file, physicalSize: Int64(size))
}
