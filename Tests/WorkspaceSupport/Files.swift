// Making files and reading them, as programs on a mount would.

internal import Glibc
package import MAMModel
internal import MAMStore
internal import MAMSystem
package import MAMTree
internal import MAMVault
package import MAMWorkspace

package let nobody = Identity.nobody

package func identity(_ name: String) throws -> Identity { try Identity(name: name) }

/// Bytes of which no two blocks are the same: the cycle has no block's length.
package func pattern(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + cycle.count)
    while bytes.count < count { bytes += cycle }
    bytes.removeLast(bytes.count - count)
    return bytes
}

private let cycle = (0..<4079).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &* 7) }

/// True if a part stands somewhere in other bytes.
package func stands(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return part.isEmpty }
        var offset = 0
        while offset + part.count <= bytes.count {
            if memcmp(start + offset, part, part.count) == 0 { return true }
            offset += 1
        }
        return false
    }
}

extension TestWorkspace {
    /// The program that runs the tests.
    package var caller: Caller {
        Caller(thread: getpid(), user: geteuid(), group: getegid(), umask: 0o022)
    }

    /// A file of an owner, closed. Of an account it is sealed.
    package func makeFile(
        _ name: String, of owner: String = "ann@contoso.com", _ content: [UInt8]
    ) throws {
        let flags = O_RDWR | O_CREAT | O_EXCL
        let file = try Files(vault).file(openFile(places.path(name), flags, mode: 0o600))
        try Files(vault).begin(file, as: Identity(name: owner), asking: nil)
        try content.withUnsafeBytes { try file.write($0, at: 0) }
        try file.finish()
    }

    /// As a copy that lost attributes.
    package func unnote(_ name: String) throws(Errno) {
        try removeExtendedAttribute(places.path(name), SealedNote.name.cString)
    }

    /// Looks a path up, and forgets it behind the body.
    package func withEntry<Value>(
        _ name: String, _ body: (WalkedEntry) throws -> Value
    ) throws -> Value {
        let found = try Walk(tree).find(ByteString(name))
        defer { tree.leave(found.entry.inode.node) }
        return try body(found)
    }

    package func withHandle<Value>(
        _ name: String, _ flags: Int32 = O_RDWR, _ body: (OpenHandle) throws -> Value
    ) throws -> Value {
        try withEntry(name) { found in
            let handle = try Handles(tree).open(
                found.entry.inode.node, flags: flags, for: caller)
            defer { Handles(tree).release(handle) }
            return try body(handle)
        }
    }

    package func content(_ name: String) throws -> [UInt8] {
        try withHandle(name, O_RDONLY) { try content(of: $0) }
    }

    package func content(of handle: OpenHandle) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(handle.file.size))
        var span = bytes.mutableSpan
        let count = try span.withUnsafeMutableBytes { buffer throws(Errno) in
            try Handles(tree).read(handle, into: buffer, at: 0, for: caller)
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    package func write(
        _ bytes: [UInt8], to handle: OpenHandle, at offset: Int64 = 0
    ) throws(Errno) {
        try bytes.span.withUnsafeBytes { bytes throws(Errno) in
            try Handles(tree).write(handle, bytes, at: offset, for: caller)
        }
    }

    /// Whose a file is and how it is kept.
    package func protection(_ name: String) throws -> FileProtection {
        try withEntry(name) { Answers(tree).protection(of: $0.entry.inode) }
    }
}
