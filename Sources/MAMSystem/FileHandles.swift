// 64-bit numbers that find files of a backing file system again after the inode was evicted.

internal import CShims
internal import Glibc
package import MAMModel

/// The file handles of one file system (name_to_handle_at(2)), each packed into 64 bits: the inode
/// number and the generation, which distinguishes the files that used that inode number.
package struct FileHandles: Sendable {
    /// An open directory, not `O_PATH`.
    private let mount: Descriptor
    /// A handle whose constant parts are the same for all files.
    private let model: mam_file_handle
    private let layout: Layout

    /// Byte offsets of the parts that differ between files.
    private struct Layout {
        let type: Int32
        let count: UInt32
        let inode: Int
        let generation: Int
        /// 4 or 8.
        let inodeByteCount: Int
    }

    private static let layouts = [
        // ext4 and F2FS; XFS mounted with 32-bit inode numbers.
        Layout(type: 0x01, count: 8, inode: 0, generation: 4, inodeByteCount: 4),
        // tmpfs.
        Layout(type: 0x01, count: 12, inode: 4, generation: 0, inodeByteCount: 8),
        // XFS.
        Layout(type: 0x81, count: 12, inode: 0, generation: 8, inodeByteCount: 8),
        // Btrfs, which has the subvolume in between.
        Layout(type: 0x4d, count: 20, inode: 0, generation: 16, inodeByteCount: 8),
    ]

    /// No file has a lower number.
    package static let lowestNumber: UInt64 = 1 << 32

    /// Nil if the file system's handle type is unknown here, or this process may not open handles:
    /// that requires `CAP_DAC_READ_SEARCH` in the initial user namespace.
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

    /// Whether an assembled handle opens the right file.
    private func isRight(for directory: Descriptor) -> Bool {
        guard let known = try? status(of: mount.raw), let number = number(of: directory),
            Self.inode(inNumber: number) == UInt64(known.st_ino), let found = try? open(number),
            let status = try? status(at: found.raw, "")
        else { return false }
        return status.st_ino == known.st_ino && status.st_dev == known.st_dev
    }

    /// Nil for a file on another file system, and for inode numbers beyond 32 bits.
    package func number(of file: Descriptor) -> UInt64? {
        var handle = mam_file_handle()
        guard mam_file_handle_of(file.raw, &handle) == 0 else { return nil }
        let number = inode(in: handle) << 32 | UInt64(generation(in: handle))
        return isSame(handle, self.handle(number)) ? number : nil
    }

    /// The inode number of a number's file.
    package static func inode(inNumber number: UInt64) -> UInt64 { number >> 32 }

    /// Opens the file of a number with `O_PATH`, wherever on the file system it is. `ESTALE` if it
    /// is gone.
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
            let inode = Self.inode(inNumber: number)
            let generation = UInt32(truncatingIfNeeded: number)
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
