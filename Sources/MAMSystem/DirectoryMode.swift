// A directory's mode and its immutable flag, also below a mount: through an `O_PATH` descriptor.

internal import CShims
package import Glibc
package import MAMModel

package func changeMode(of directory: Descriptor, to mode: mode_t) throws(Errno) {
    try withExtendedLifetime(directory) { () throws(Errno) in
        try withProcPath(of: directory.raw) { path throws(Errno) in
            _ = try retrying { chmod(path, mode) }
        }
    }
}

/// False also where the file system has no such flag. For root, who may read any directory.
package func isImmutable(_ directory: Descriptor) -> Bool {
    let flag = try? withReadable(directory) { mam_is_immutable($0) }
    return flag == 1
}

/// `FS_IMMUTABLE_FL`: nobody, root included, can make, rename or remove anything in it, or change
/// its mode.
package func setImmutable(_ directory: Descriptor, _ value: Bool) throws(Errno) {
    _ = try withReadable(directory) { mam_set_immutable($0, value ? 1 : 0) }
}

private func withReadable(
    _ directory: Descriptor, _ call: (Int32) -> Int32
) throws(Errno) -> Int32 {
    let readable = try withExtendedLifetime(directory) { () throws(Errno) in
        try reopen(directory.raw, O_RDONLY | O_DIRECTORY)
    }
    return try withExtendedLifetime(readable) { () throws(Errno) in
        try retrying { call(readable.raw) }
    }
}
