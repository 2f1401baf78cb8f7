// The files below a backing directory that are sealed, by their headers: how many, and whose.

internal import Glibc
internal import MAMFormat
internal import MAMModel
internal import MAMStore
internal import MAMSystem

struct FileCounts {
    /// With files that cannot be read, as they may be sealed.
    private(set) var sealed = 0
    /// Files and symbolic links that `leave` copies without a key.
    private(set) var plain = 0

    init(below root: Descriptor) {
        guard let names = try? entries(of: root.raw) else {
            sealed = 1
            return
        }
        for name in names {
            let former = plain
            count(name, in: root)
            // Of `.mamd`, `leave` copies nothing.
            if name == ByteString(".mamd") { plain = former }
        }
    }

    private mutating func count(below directory: Descriptor) {
        guard let names = try? entries(of: directory.raw) else { return sealed += 1 }
        for name in names { count(name, in: directory) }
    }

    private mutating func count(_ name: ByteString, in directory: Descriptor) {
        guard let status = try? status(at: directory.raw, name.cString) else { return sealed += 1 }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            guard let inner = try? openFile(at: directory.raw, name.cString, flags) else {
                return sealed += 1
            }
            count(below: inner)
        case S_IFREG where isSealed(name, in: directory): sealed += 1
        case S_IFREG, S_IFLNK: plain += 1
        // A pipe, a socket or a device, which `leave` refuses.
        default: break
        }
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
