// The table's entries for open files.

internal import CFuse3
internal import CShims
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

func addFiles(to table: inout fuse_lowlevel_ops) {
    table.create = { raw, parent, name, mode, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            let info = info.required
            let creation = try Creator(tree).create(
                name.name, in: parent, mode: mode, flags: info.pointee.flags, for: request.caller)
            info.pointee.keep_cache = 1
            info.pointee.direct_io = creation.handle.access == .writeDirectly ? 1 : 0
            request.reply(creation, info)
        }
    }
    table.open = { raw, node, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            let info = info.required
            let caller = request.caller
            let handle =
                request.mount.ownAccesses.isOpening(caller.thread)
                ? try Handles(tree).openForProbe(node)
                : try Handles(tree).open(node, flags: info.pointee.flags, for: caller)
            info.pointee.keep_cache = 1
            info.pointee.direct_io = handle.access == .writeDirectly ? 1 : 0
            info.pointee.hold(handle)
            if fuse_reply_open(request.raw, info) != 0 {
                // The caller was interrupted: the kernel will never release this handle.
                Handles(tree).release(info.pointee.takeHandle(OpenHandle.self))
            }
        }
    }
    table.release = { raw, _, info in
        let request = Request(raw)
        Handles(request.tree).release(info.required.pointee.takeHandle(OpenHandle.self))
        request.replyDone()
    }
    addContent(to: &table)
    addSpace(to: &table)
}

private func addContent(to table: inout fuse_lowlevel_ops) {
    table.read = { raw, _, count, offset, info in
        let request = Request(raw)
        defer { mam_clear_registers() }
        request.serveFast { mount throws(Errno) in
            let buffer = ReplyBuffer(count: count, in: mount)
            let found = try mount.handles.read(
                info.required.pointee.handle(OpenHandle.self), into: buffer.bytes,
                at: Int64(offset), for: request.caller)
            request.reply(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<found]))
        }
    }
    table.write = { raw, _, bytes, count, offset, info in
        let request = Request(raw)
        defer { mam_clear_registers() }
        request.serveFast { mount throws(Errno) in
            let plain = UnsafeRawBufferPointer(start: bytes, count: count)
            try write(plain, at: Int64(offset), info.required.pointee, request, in: mount)
            fuse_reply_write(request.raw, count)
        }
    }
    table.fsync = { raw, _, dataOnly, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try Handles(tree).synchronize(
                info.required.pointee.handle(OpenHandle.self), dataOnly: dataOnly != 0)
            request.replyDone()
        }
    }
}

private func write(
    _ plain: UnsafeRawBufferPointer, at offset: Int64, _ info: fuse_file_info,
    _ request: Request, in mount: Mount
) throws(Errno) {
    // The next request reuses the buffer, so no plaintext may stay. The reply may be built in it
    // too: zero it before.
    defer { zero(plain) }
    let handle = info.handle(OpenHandle.self)
    if info.writepage != 0 {
        try mount.handles.writeBack(handle, plain, at: offset)
    } else {
        try mount.handles.write(handle, plain, at: offset, for: request.caller)
    }
}

/// Zeroes a request's bytes in libfuse's buffer, which is writable though passed as constant.
private func zero(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    explicit_bzero(UnsafeMutableRawPointer(mutating: base), bytes.count)
}

private func addSpace(to table: inout fuse_lowlevel_ops) {
    table.fallocate = { raw, _, mode, offset, count, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try Space(tree).allocate(
                info.required.pointee.handle(OpenHandle.self), mode: mode, at: Int64(offset),
                count: Int64(count), for: request.caller)
            request.replyDone()
        }
    }
    table.lseek = { raw, _, offset, whence, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            guard let region = Region(whence: whence) else { throw .invalid }
            let handle = info.required.pointee.handle(OpenHandle.self)
            let thread = request.caller.thread
            try request.mount.find(region, from: Int64(offset), through: handle, for: thread) {
                result in
                switch result {
                case .success(let position): fuse_reply_lseek(request.raw, off_t(position))
                case .failure(let error): request.replyError(error.rawValue)
                }
            }
        }
    }
    table.copy_file_range = { raw, _, offset, info, _, targetOffset, targetInfo, count, flags in
        let request = Request(raw)
        defer { mam_clear_registers() }
        request.serve { tree throws(Errno) in
            guard flags == 0 else { throw .invalid }
            let buffer = ReplyBuffer(in: request.mount)
            let copied = try Space(tree).copy(
                from: info.required.pointee.handle(OpenHandle.self), at: Int64(offset),
                to: targetInfo.required.pointee.handle(OpenHandle.self), at: Int64(targetOffset),
                count: count, through: buffer.bytes, for: request.caller)
            fuse_reply_write(request.raw, copied)
        }
    }
}
