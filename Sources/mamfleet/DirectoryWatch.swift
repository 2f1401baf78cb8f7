// The third carrier: a directory, such as a stick's or a share's.

internal import Glibc
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMSystem

/// Reads the bundles that have changed. The directory need not be there yet.
final class DirectoryWatch {
    private let shared: Shared
    private let path: String
    private var seen: [BundlePlace: State] = [:]
    private var hasWarned = false

    private static let intervalSeconds = 5

    private struct State: Equatable {
        let inode: UInt
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    init(_ shared: Shared, _ path: String) { (self.shared, self.path) = (shared, path) }

    func run() -> Never {
        while true {
            let places = BundlePlace.all(for: shared.machine, groups: shared.groups)
            for place in places { look(for: place) }
            Deadline(seconds: Self.intervalSeconds).wait()
        }
    }

    private func look(for name: BundlePlace) {
        let file = "\(path)/\(name.path)"
        var found = stat()
        guard stat(file, &found) == 0 else {
            // The service's unit hides directories such as /srv, /mnt and /media.
            let error = Errno.current
            if error != .noEntry, !hasWarned {
                shared.log.warning("\(file): \(error)")
                hasWarned = true
            }
            seen[name] = nil
            return
        }
        let state = State(
            inode: UInt(found.st_ino), size: Int(found.st_size), seconds: found.st_mtim.tv_sec,
            nanoseconds: found.st_mtim.tv_nsec)
        guard seen[name] != state else { return }
        do throws(Errno) {
            let bytes = try readSmallFile(
                file, maximumByteCount: Bundle.maximumByteCount)
            shared.inbox.put(ArrivedBundle(key: BundleKey(.directory, name), bytes: bytes))
        } catch { shared.log.warning("\(file): \(error)") }
        seen[name] = state
    }
}
