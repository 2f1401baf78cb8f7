// Extended attributes by path; for a descriptor, by the path of ``withProcPath(of:_:)``.

internal import CShims
package import MAMModel

/// getxattr(2): returns the value's length; copies nothing into an empty buffer.
package func extendedAttribute(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>,
    into value: UnsafeMutableRawBufferPointer
) throws(Errno) -> Int {
    try retrying { mam_getxattr(path, name, value.baseAddress, value.count) }
}

/// fgetxattr(2), which takes a fifth of the time that the path through /proc takes. Not for
/// `O_PATH` descriptors.
package func extendedAttribute(
    of descriptor: Int32, _ name: UnsafePointer<CChar>,
    into value: UnsafeMutableRawBufferPointer
) throws(Errno) -> Int {
    try retrying { mam_fgetxattr(descriptor, name, value.baseAddress, value.count) }
}

/// Takes a path from ``withProcPath(of:_:)``; uses getxattrat(2) where /proc's directory is kept
/// open and the kernel has the call.
package func extendedAttribute(
    procPath path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>,
    into value: UnsafeMutableRawBufferPointer
) throws(Errno) -> Int {
    guard let (directory, relative) = keptProcDescriptor(path) else {
        return try extendedAttribute(path, name, into: value)
    }
    do throws(Errno) {
        return try retrying {
            mam_getxattrat(directory, relative, name, value.baseAddress, value.count)
        }
    } catch {
        // A sandbox may answer EPERM for a call that it does not know.
        guard error == .notImplemented || error == .notPermitted else { throw error }
        return try extendedAttribute(path, name, into: value)
    }
}

/// setxattr(2).
package func setExtendedAttribute(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, to value: UnsafeRawBufferPointer,
    flags: Int32 = 0
) throws(Errno) {
    _ = try retrying { mam_setxattr(path, name, value.baseAddress, value.count, flags) }
}

/// fsetxattr(2).
package func setExtendedAttribute(
    of descriptor: Int32, _ name: UnsafePointer<CChar>, to value: UnsafeRawBufferPointer
) throws(Errno) {
    _ = try retrying { mam_fsetxattr(descriptor, name, value.baseAddress, value.count, 0) }
}

/// fremovexattr(2).
package func removeExtendedAttribute(
    of descriptor: Int32, _ name: UnsafePointer<CChar>
) throws(Errno) {
    _ = try retrying { mam_fremovexattr(descriptor, name) }
}

/// removexattr(2).
package func removeExtendedAttribute(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>
) throws(Errno) {
    _ = try retrying { mam_removexattr(path, name) }
}

/// listxattr(2): names, each followed by a zero byte; with an empty buffer only the length. None on
/// a file system without attributes.
package func listExtendedAttributes(
    _ path: UnsafePointer<CChar>, into names: UnsafeMutableRawBufferPointer
) throws(Errno) -> Int {
    do throws(Errno) {
        return try retrying {
            mam_listxattr(path, names.baseAddress?.assumingMemoryBound(to: CChar.self), names.count)
        }
    } catch {
        guard error == .notSupported else { throw error }
        return 0
    }
}

/// Copies all extended attributes that may be copied, and returns their names. `former`: the names
/// from an earlier copy; those that the source has lost since are removed.
package func copyExtendedAttributes(
    from source: Int32, to target: Int32, removing former: Set<ByteString> = [],
    except left: ByteString? = nil
) throws(Errno) -> Set<ByteString> {
    try withProcPath(of: source) { source throws(Errno) in
        try withProcPath(of: target) { target throws(Errno) in
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * limit, alignment: 16)
            defer { room.deallocate() }
            let names = UnsafeMutableRawBufferPointer(rebasing: room[..<limit])
            let value = UnsafeMutableRawBufferPointer(rebasing: room[limit...])
            let count = try listExtendedAttributes(source, into: names)
            var copied: Set<ByteString> = []
            for name in names[..<count].split(separator: 0)
            where ByteString(Array(name)) != left {
                copied.insert(ByteString(Array(name)))
                let text = name.map { CChar(bitPattern: $0) } + [0]
                let found = try extendedAttribute(source, text, into: value)
                try setExtendedAttribute(
                    target, text, to: UnsafeRawBufferPointer(rebasing: value[..<found]))
            }
            for name in former.subtracting(copied) {
                try removeExtendedAttribute(target, name.cString)
            }
            return copied
        }
    }
}

/// XATTR_SIZE_MAX and XATTR_LIST_MAX: 64 KiB.
private let limit = 65_536
