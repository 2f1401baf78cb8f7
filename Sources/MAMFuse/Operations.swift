// libfuse's table: each entry converts arguments, calls one method, and replies.
//
// Not in the table: access (default_permissions), flush (each write is stored before its reply),
// getlk, setlk and flock (the kernel's), ioctl, poll.

internal import CFuse3
internal import CTransport
internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMWorkspace

func makeOperations() -> fuse_lowlevel_ops {
    var table = fuse_lowlevel_ops()
    addLifeCycle(to: &table)
    addInodes(to: &table)
    addAttributes(to: &table)
    addNewNames(to: &table)
    addNameChanges(to: &table)
    addFiles(to: &table)
    addDirectories(to: &table)
    addExtendedAttributes(to: &table)
    return table
}

private func addLifeCycle(to table: inout fuse_lowlevel_ops) {
    table.`init` = { data, connection in
        guard let data, let connection else { return }
        let context = OpaquePointer(data)
        let mount = Unmanaged<Mount>.fromOpaque(mam_transport_owner(context)).takeUnretainedValue()
        negotiate(&connection.pointee)
        if mount.takesRoom() {
            connection.pointee.want |=
                connection.pointee.capable & UInt32(FUSE_CAP_WRITEBACK_CACHE)
        }
        if mount.tree.handles != nil {
            connection.pointee.want |= connection.pointee.capable & UInt32(FUSE_CAP_EXPORT_SUPPORT)
        }
    }
}

/// The capabilities and limits requested of the kernel; docs/ARCHITECTURE.md says why.
private func negotiate(_ connection: inout fuse_conn_info) {
    let wanted = [
        FUSE_CAP_READDIRPLUS, FUSE_CAP_ASYNC_READ, FUSE_CAP_ATOMIC_O_TRUNC, FUSE_CAP_POSIX_ACL,
        FUSE_CAP_DONT_MASK,
    ]
    // init.c requests its successor: the daemon clears set-id bits, the kernel removes
    // capabilities.
    connection.want &= ~UInt32(FUSE_CAP_HANDLE_KILLPRIV)
    // The kernel guesses wrong for programs that list first and ask for attributes later.
    connection.want &= ~UInt32(FUSE_CAP_READDIRPLUS_AUTO)
    // The kernel does not drop pages that were read during an asynchronous direct write (adr 43).
    connection.want &= ~UInt32(FUSE_CAP_ASYNC_DIO)
    for capability in wanted { connection.want |= connection.capable & UInt32(capability) }
    connection.max_write = UInt32(ReplyBuffer.byteCount)
    connection.max_background = 64
    connection.congestion_threshold = 48
    connection.time_gran = 1
}

private func addInodes(to table: inout fuse_lowlevel_ops) {
    table.lookup = { raw, parent, name in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            let entry = try HandleLookup(tree).lookUp(name.name, in: parent)
            tree.table.sentBack.found(entry.inode, for: request.caller)
            request.reply(entry)
        }
    }
    table.forget = { raw, node, count in
        let request = Request(raw)
        request.tree.kernelForgot(node, count: count)
        fuse_reply_none(request.raw)
    }
    table.forget_multi = { raw, count, entries in
        let request = Request(raw)
        for entry in UnsafeBufferPointer(start: entries, count: count) {
            request.tree.kernelForgot(entry.ino, count: entry.nlookup)
        }
        fuse_reply_none(request.raw)
    }
}

private func addAttributes(to table: inout fuse_lowlevel_ops) {
    table.getattr = { raw, node, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            request.replyAttributes(
                try Lookup(tree).attributes(
                    of: node, throughHandle: info != nil, for: request.caller))
        }
    }
    table.setattr = { raw, node, new, valid, info in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            guard let new else { throw .invalid }
            let (change, caller) = (AttributeChange(new.pointee, valid: valid), request.caller)
            if change.size != nil, request.mount.ownAccesses.isCutting(caller.thread) {
                return request.replyAttributes(try Handles(tree).endWhereDataEnds(node))
            }
            if change.mode != nil, request.mount.ownAccesses.isWaiting(caller.thread) {
                throw .notSupported
            }
            request.replyAttributes(
                try Attributes(tree).change(node, info.openHandle, change, for: caller))
        }
    }
    table.readlink = { raw, node in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            fuse_reply_readlink(request.raw, try Names(tree).target(of: node))
        }
    }
    table.statfs = { raw, _ in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            var space = try Space(tree).space()
            fuse_reply_statfs(request.raw, &space)
        }
    }
}

private func addNewNames(to table: inout fuse_lowlevel_ops) {
    table.mknod = { raw, parent, name, mode, device in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            request.reply(
                try Names(tree).makeNode(
                    name.name, in: parent, mode: mode, device: device, for: request.caller))
        }
    }
    table.mkdir = { raw, parent, name, mode in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            request.reply(
                try Names(tree).makeDirectory(
                    name.name, in: parent, mode: mode, for: request.caller))
        }
    }
    table.symlink = { raw, target, parent, name in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            request.reply(
                try Names(tree).makeSymbolicLink(
                    name.name, in: parent, to: target.name, for: request.caller))
        }
    }
    table.link = { raw, node, parent, name in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            request.reply(
                try Names(tree).link(node, as: name.name, in: parent, for: request.caller))
        }
    }
}

private func addNameChanges(to table: inout fuse_lowlevel_ops) {
    table.unlink = { raw, parent, name in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try Names(tree).unlink(name.name, in: parent, for: request.caller)
            request.replyDone()
        }
    }
    table.rmdir = { raw, parent, name in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try Names(tree).removeDirectory(name.name, in: parent, for: request.caller)
            request.replyDone()
        }
    }
    table.rename = { raw, parent, name, newParent, newName, flags in
        let request = Request(raw)
        request.serve { tree throws(Errno) in
            try Names(tree).rename(
                name.name, in: parent, to: newName.name, in: newParent, flags: flags,
                for: request.caller)
            request.replyDone()
        }
    }
}
