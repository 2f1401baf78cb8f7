// Numbers by which files of a backing file system are found again, whatever was forgotten.

internal import CShims
internal import Glibc

/// The handles of one file system (name_to_handle_at(2)), each as a number of 64 bits: the inode
/// number and the generation, by which the file system tells the files that had it one after the
/// other.
package struct FileHandles: Sendable {
    /// A directory that was opened, not with `O_PATH`.
    private let mount: Descriptor
    /// What is the same in all handles, where it is not replaced.
    private let model: mam_file_handle
    private let layout: Layout

    /// Where a handle has what differs from file to file, in bytes.
    private struct Layout {
        let type: Int32
        let count: UInt32
        let inode: Int
        let generation: Int
        /// 4 or 8.
        let inodeByteCount: Int
    }

    private static let layouts = [
        // ext4 and F2FS; XFS, when it is mounted so that inode numbers stay small.
        Layout(type: 0x01, count: 8, inode: 0, generation: 4, inodeByteCount: 4),
        // tmpfs.
        Layout(type: 0x01, count: 12, inode: 4, generation: 0, inodeByteCount: 8),
        // XFS.
        Layout(type: 0x81, count: 12, inode: 0, generation: 8, inodeByteCount: 8),
        // Btrfs, which has the subvolume in between.
        Layout(type: 0x4d, count: 20, inode: 0, generation: 16, inodeByteCount: 8),
    ]

    /// Below this a number is of no file.
    package static let lowestNumber: UInt64 = 1 << 32

    /// Nil if the directory's file system has handles of a kind that is not known here, or this
    /// process may not open them: that takes `CAP_DAC_READ_SEARCH`, in the first user namespace.
    package init?(of directory: Descriptor) {
        var model = mam_file_handle()
        guard mam_file_handle_of(directory.raw, &model) == 0,
            let layout = Self.layouts.first(where: {
                $0.type == model.type && $0.count == model.count
            }),
            let mount = try? openFile(at: directory.raw, ".", O_RDONLY | O_DIRECTORY)
        else { return nil }
        self.mount = mount
        self.model = model
        self.layout = layout
        guard isRight(for: directory) else { return nil }
    }

    /// Whether a handle that is put together leads where it should.
    private func isRight(for directory: Descriptor) -> Bool {
        guard let known = try? status(of: mount.raw), let number = number(of: directory),
            number >> 32 == UInt64(known.st_ino), let found = try? open(number),
            let status = try? status(at: found.raw, "")
        else { return false }
        return status.st_ino == known.st_ino && status.st_dev == known.st_dev
    }

    /// Nil for a file of another file system, and for an inode number of more than 32 bits.
    package func number(of file: Descriptor) -> UInt64? {
        var handle = mam_file_handle()
        guard mam_file_handle_of(file.raw, &handle) == 0 else { return nil }
        let number = inode(in: handle) << 32 | UInt64(generation(in: handle))
        return isSame(handle, self.handle(number)) ? number : nil
    }

    /// The file of a number, by an `O_PATH` descriptor, wherever on the file system it is. `ESTALE`
    /// if it is gone.
    package func open(_ number: UInt64) throws(Errno) -> Descriptor {
        var handle = handle(number)
        return Descriptor(
            owning: try retrying { mam_open_file_handle(mount.raw, &handle, openPathOnly) })
    }

    private func inode(in handle: mam_file_handle) -> UInt64 {
        withUnsafeBytes(of: handle.bytes) { bytes in
            layout.inodeByteCount == 4
                ? UInt64(bytes.loadUnaligned(fromByteOffset: layout.inode, as: UInt32.self))
                : bytes.loadUnaligned(fromByteOffset: layout.inode, as: UInt64.self)
        }
    }

    private func generation(in handle: mam_file_handle) -> UInt32 {
        withUnsafeBytes(of: handle.bytes) {
            $0.loadUnaligned(fromByteOffset: layout.generation, as: UInt32.self)
        }
    }

    private func handle(_ number: UInt64) -> mam_file_handle {
        var handle = model
        withUnsafeMutableBytes(of: &handle.bytes) { bytes in
            let (inode, generation) = (number >> 32, UInt32(truncatingIfNeeded: number))
            if layout.inodeByteCount == 4 {
                bytes.storeBytes(of: UInt32(inode), toByteOffset: layout.inode, as: UInt32.self)
            } else {
                bytes.storeBytes(of: inode, toByteOffset: layout.inode, as: UInt64.self)
            }
            bytes.storeBytes(
                of: generation, toByteOffset: layout.generation, as: UInt32.self)
        }
        return handle
    }

    private func isSame(_ one: mam_file_handle, _ other: mam_file_handle) -> Bool {
        guard one.type == other.type, one.count == other.count else { return false }
        let count = Int(layout.count)
        return withUnsafeBytes(of: one.bytes) { one in
            withUnsafeBytes(of: other.bytes) { one[..<count].elementsEqual($0[..<count]) }
        }
    }
}
