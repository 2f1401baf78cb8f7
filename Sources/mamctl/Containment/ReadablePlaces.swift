// Where a contained command may read: everywhere but other terminals.

internal import Glibc
internal import MAMModel
internal import MAMSystem

/// A program that begins a session and opens a free terminal, even for reading, has it as /dev/tty
/// from then on, and Landlock asks about that name alone. So the command opens no terminal but its
/// own. Landlock knows no exceptions: these are all places beside the terminals.
struct ReadablePlaces {
    /// File systems of devices, such as those that a chroot(1) has once more.
    private let closed: [ByteString]
    /// By their major numbers.
    private let terminals: Set<UInt32>

    private static let root = ByteString("/"), devices = ByteString("/dev")

    init() throws(Errno) {
        closed = try MountTable().mounts
            .filter { ["devpts", "devtmpfs"].contains($0.type) }
            .map { ByteString($0.mountPoint) }.filter { $0 != Self.devices }
        terminals = Self.terminals(
            in: try readSmallFile("/proc/tty/drivers", maximumByteCount: 64 << 10))
    }

    /// What cannot be looked at holds nothing that can be read.
    var all: [ByteString] { places(in: Self.root) }

    private func places(in directory: ByteString) -> [ByteString] {
        ((try? entries(of: directory)) ?? []).flatMap { name in
            let place = directory.appending(name)
            if closed.contains(place) || isTerminal(place) { return [ByteString]() }
            return isDivided(place) ? places(in: place) : [place]
        }
    }

    private func isDivided(_ place: ByteString) -> Bool {
        place == Self.devices || closed.contains { $0.isWithin(place) }
    }

    private func isTerminal(_ place: ByteString) -> Bool {
        guard place.isWithin(Self.devices) else { return false }
        var found = stat()
        return lstat(place.cString, &found) == 0 && found.st_mode & S_IFMT == S_IFCHR
            && terminals.contains(major(found.st_rdev))
    }

    /// In lines of `name /dev/name major minors type`.
    private static func terminals(in drivers: [UInt8]) -> Set<UInt32> {
        let lines = drivers.split(separator: UInt8(ascii: "\n"))
        return Set(
            lines.compactMap { line in
                let words = String(decoding: line, as: UTF8.self).split(separator: " ")
                return words.count > 2 ? UInt32(words[2]) : nil
            })
    }
}
