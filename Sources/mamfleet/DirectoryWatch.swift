// The third carrier: a directory, such as a stick's or a share's.

internal import Glibc
internal import MAMEngine
internal import MAMModel
internal import MAMSystem

/// Reads what has changed. A directory that is not there yet may come.
final class DirectoryWatch {
    private let shared: Shared
    private let path: String
    private var seen: [BundlePlace: State] = [:]
    private var isHiddenTold = false

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
            // The unit hides /srv, /mnt and /media, say.
            let error = Errno.current
            if error != .noEntry, !isHiddenTold {
                shared.log.warning("\(file): \(error)")
                isHiddenTold = true
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
                file, maximumByteCount: DocumentBundle.maximumByteCount)
            shared.inbox.put(ArrivedBundle(key: BundleKey(.directory, name), bytes: bytes))
        } catch { shared.log.warning("\(file): \(error)") }
        seen[name] = state
    }
}
