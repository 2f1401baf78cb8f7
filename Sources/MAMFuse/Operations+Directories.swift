// The table's entries for directories and extended attributes.

internal import CFuse3
internal import Glibc
internal import MAMSystem

func addDirectories(to table: inout fuse_lowlevel_ops) {
    table.opendir = { raw, node, info in
        let request = Request(raw)
        request.serve { files throws(Errno) in
            let info = info.required
            info.pointee.hold(try files.openDirectory(node))
            if fuse_reply_open(request.raw, info) != 0 {
                _ = info.pointee.takeHandle(DirectoryStream.self)
            }
        }
    }
    table.readdir = { raw, _, count, offset, info in
        readDirectory(Request(raw), info.required, count, offset, withAttributes: false)
    }
    table.readdirplus = { raw, _, count, offset, info in
        readDirectory(Request(raw), info.required, count, offset, withAttributes: true)
    }
    table.releasedir = { raw, _, info in
        _ = info.required.pointee.takeHandle(DirectoryStream.self)
        Request(raw).replyDone()
    }
    table.fsyncdir = { raw, _, dataOnly, info in
        let request = Request(raw)
        request.serve { _ throws(Errno) in
            try info.required.pointee.handle(DirectoryStream.self)
                .synchronize(dataOnly: dataOnly != 0)
            request.replyDone()
        }
    }
}

private func readDirectory(
    _ request: Request, _ info: UnsafeMutablePointer<fuse_file_info>, _ count: Int, _ offset: off_t,
    withAttributes: Bool
) {
    request.serve { files throws(Errno) in
        let stream = info.pointee.handle(DirectoryStream.self)
        let buffer = ReplyBuffer(count: count)
        var listing = Listing(request: request, files: files, room: buffer.bytes)
        do throws(Errno) {
            try stream.read(from: Int(offset)) { name, entry, next in
                if files.isHidden(name, in: stream.inode) { return true }
                return withAttributes
                    ? listing.addWithAttributes(name, entry, in: stream.inode, next: next)
                    : listing.add(name, entry, next: next)
            }
        } catch {
            // What is listed already was counted as looked up; the error comes with the next request.
            if listing.used == 0 { throw error }
        }
        request.reply(UnsafeRawBufferPointer(rebasing: listing.room[..<listing.used]))
    }
}

/// The reply to a readdir request, filled entry by entry.
private struct Listing {
    let request: Request
    let files: FileSystem
    let room: UnsafeMutableRawBufferPointer
    var used = 0

    private var rest: UnsafeMutablePointer<CChar>? {
        room.baseAddress.map { ($0 + used).assumingMemoryBound(to: CChar.self) }
    }

    /// False if there is no more room.
    mutating func add(_ name: Name, _ entry: dirent, next: Int) -> Bool {
        var attributes = shortAttributes(entry)
        let needed = fuse_add_direntry(
            request.raw, rest, room.count - used, name, &attributes, off_t(next))
        return take(needed)
    }

    mutating func addWithAttributes(
        _ name: Name, _ entry: dirent, in directory: Inode, next: Int
    ) -> Bool {
        // "." and "..", and an entry that went meanwhile: node 0 tells the kernel that there is no look-up.
        var parameters = fuse_entry_param()
        parameters.attr = shortAttributes(entry)
        var found: Entry?
        if !isDots(name) {
            do throws(Errno) {
                let entry = try files.lookUp(name, in: directory, number: UInt64(entry.d_ino))
                parameters = fuse_entry_param(entry)
                found = entry
            } catch {
                // Listed all the same: readdir does not fail because one entry cannot be looked at.
            }
        }
        let needed = fuse_add_direntry_plus(
            request.raw, rest, room.count - used, name, &parameters, off_t(next))
        let isTaken = take(needed)
        if !isTaken, let found { files.forget(found.inode.node, count: 1) }
        return isTaken
    }

    private mutating func take(_ needed: Int) -> Bool {
        guard needed <= room.count - used else { return false }
        used += needed
        return true
    }

    private func shortAttributes(_ entry: dirent) -> stat {
        var attributes = stat()
        attributes.st_ino = entry.d_ino
        attributes.st_mode = mode_t(entry.d_type) << 12
        return attributes
    }

    private func isDots(_ name: Name) -> Bool { strcmp(name, ".") == 0 || strcmp(name, "..") == 0 }
}

func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
    table.getxattr = { raw, node, name, count in
        let request = Request(raw)
        request.serve { files throws(Errno) in
            try replyValue(request, count) { buffer throws(Errno) in
                try files.extendedAttribute(
                    name.name, of: node, into: buffer, for: request.caller)
            }
        }
    }
    table.listxattr = { raw, node, count in
        let request = Request(raw)
        request.serve { files throws(Errno) in
            try replyValue(request, count) { buffer throws(Errno) in
                try files.listExtendedAttributes(of: node, into: buffer)
            }
        }
    }
    table.setxattr = { raw, node, name, value, count, flags in
        let request = Request(raw)
        request.serve { files throws(Errno) in
            try files.setExtendedAttribute(
                name.name, of: node, to: UnsafeRawBufferPointer(start: value, count: count),
                flags: flags, for: request.caller, isMember: request.callerIsMember)
            request.replyDone()
        }
    }
    table.removexattr = { raw, node, name in
        let request = Request(raw)
        request.serve { files throws(Errno) in
            try files.removeExtendedAttribute(name.name, of: node, for: request.caller)
            request.replyDone()
        }
    }
}

/// With a count of 0 the caller asks for the size alone.
private func replyValue(
    _ request: Request, _ count: Int,
    _ get: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
) throws(Errno) {
    guard count > 0 else {
        fuse_reply_xattr(request.raw, try get(.init(start: nil, count: 0)))
        return
    }
    let buffer = ReplyBuffer(count: count)
    let found = try get(buffer.bytes)
    request.reply(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<found]))
}
