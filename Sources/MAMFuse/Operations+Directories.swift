// The table's entries for directories and extended attributes.

internal import CFuse3
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

func addDirectories(to table: inout fuse_lowlevel_ops) {
    table.opendir = { raw, node, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            let info = info.required
            info.pointee.hold(try Lookup(tree).openDirectory(node, for: request.caller))
            if fuse_reply_open(request.raw, info) != 0 {
                _ = info.pointee.takeHandle(DirectoryStream.self)
            }
        }
    }
    table.readdir = { raw, _, count, offset, info in
        readDirectory(Request(raw), info.required, count, offset)
    }
    table.readdirplus = { raw, _, count, offset, info in
        readDirectoryWithAttributes(Request(raw), info.required, count, offset)
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
    _ request: Request, _ info: UnsafeMutablePointer<fuse_file_info>, _ count: Int, _ offset: off_t
) {
    request.serve { tree throws(Errno) in
        let stream = info.pointee.handle(DirectoryStream.self)
        let buffer = ReplyBuffer(count: count, in: request.mount)
        var names = NameListing(request: request, room: buffer.bytes)
        do throws(Errno) {
            try stream.read(from: Int(offset)) { item in
                tree.isHidden(item.name, in: stream.inode) || names.add(item)
            }
        } catch {
            // The error comes with the next request.
            if names.used == 0 { throw error }
        }
        request.reply(UnsafeRawBufferPointer(rebasing: names.room[..<names.used]))
    }
}

private func readDirectoryWithAttributes(
    _ request: Request, _ info: UnsafeMutablePointer<fuse_file_info>, _ count: Int, _ offset: off_t
) {
    request.serve { tree throws(Errno) in
        let stream = info.pointee.handle(DirectoryStream.self)
        let mount = request.mount
        let buffer = ReplyBuffer(count: count, in: mount)
        let listing = mount.listings.take()
        defer { mount.listings.giveBack(listing) }
        listing.begin(request, stream.inode, isFirst: offset == 0, buffer.bytes)
        do throws(Errno) {
            try stream.read(from: Int(offset)) { item in
                tree.isHidden(item.name, in: stream.inode) || listing.add(item)
            }
        } catch {
            // The error comes with the next request.
            if listing.isEmpty { throw error }
        }
        listing.finish(in: mount)
    }
}

/// The reply to a request for names alone, filled entry by entry.
private struct NameListing {
    let request: Request
    let room: UnsafeMutableRawBufferPointer
    var used = 0

    /// False if there is no more room.
    mutating func add(_ item: DirectoryStream.Item) -> Bool {
        var attributes = shortAttributes(of: item)
        let place = room.baseAddress.map { ($0 + used).assumingMemoryBound(to: CChar.self) }
        let needed = fuse_add_direntry(
            request.raw, place, room.count - used, item.name, &attributes, off_t(item.next))
        guard needed <= room.count - used else { return false }
        used += needed
        return true
    }
}

func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
    table.getxattr = { raw, node, name, count in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            let isOwn = request.mount.ownAccesses.isCutting(request.caller.thread)
            if isOwn { throw .noData }
            try replyValue(request, count) { buffer throws(Errno) in
                try ExtendedAttributes(tree).extendedAttribute(
                    name.name, of: node, into: buffer, for: request.caller)
            }
        }
    }
    table.listxattr = { raw, node, count in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try replyValue(request, count) { buffer throws(Errno) in
                try ExtendedAttributes(tree).listExtendedAttributes(
                    of: node, into: buffer, for: request.caller)
            }
        }
    }
    table.setxattr = { raw, node, name, value, count, flags in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try ExtendedAttributes(tree).setExtendedAttribute(
                name.name, of: node, to: UnsafeRawBufferPointer(start: value, count: count),
                flags: flags, for: request.caller)
            request.replyDone()
        }
    }
    table.removexattr = { raw, node, name in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try ExtendedAttributes(tree).removeExtendedAttribute(
                name.name, of: node, for: request.caller)
            request.replyDone()
        }
    }
}

/// With a count of 0 the caller wants only the size.
private func replyValue(
    _ request: Request, _ count: Int,
    _ get: (UnsafeMutableRawBufferPointer) throws(Errno) -> Int
) throws(Errno) {
    guard count > 0 else {
        fuse_reply_xattr(request.raw, try get(.init(start: nil, count: 0)))
        return
    }
    let buffer = ReplyBuffer(count: count, in: request.mount)
    let found = try get(buffer.bytes)
    request.reply(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<found]))
}
