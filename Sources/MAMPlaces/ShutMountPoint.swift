// A mount point that programs cannot use while nothing is mounted there: docs/adr/0063.

package import Glibc
package import MAMModel
package import MAMSystem

/// Without any mode bit, and immutable where that is permitted.
package struct ShutMountPoint: Sendable, Equatable {
    package let place: ByteString
    /// What it has again when it is opened.
    package let mode: mode_t
    /// An administrator's `chattr +i`, which stays.
    package let wasImmutable: Bool

    package init(place: ByteString, mode: mode_t, wasImmutable: Bool) {
        self.place = place
        self.mode = mode
        self.wasImmutable = wasImmutable
    }

    /// Examines the directory, an `O_PATH` descriptor. `known`: what is recorded of that place.
    package init(
        _ directory: Descriptor, at place: ByteString, known: ShutMountPoint?
    ) throws(ShutRefusal) {
        let found = try Self.examine(directory)
        self.place = place
        guard !Self.isShut(found) else {
            mode = known?.mode ?? 0o700
            wasImmutable = known?.wasImmutable ?? false
            return
        }
        mode = found.st_mode & 0o7777
        wasImmutable = geteuid() == 0 && MAMSystem.isImmutable(directory)
    }

    private static func examine(_ directory: Descriptor) throws(ShutRefusal) -> stat {
        let facts: (isMountRoot: Bool, status: stat)
        do throws(Errno) {
            facts = try withExtendedLifetime(directory) { () throws(Errno) in
                (try CachedFacts(of: directory.raw).isMountRoot, try status(of: directory.raw))
            }
        } catch { throw .failed(error) }
        // Below it is another directory, which is not ours to shut.
        guard !facts.isMountRoot else { throw .mounted }
        let found = facts.status
        guard found.st_uid == geteuid() else { throw .foreign(found.st_uid) }
        guard found.st_mode & (S_ISVTX | S_IWOTH) == 0 else { throw .shared }
        return found
    }

    /// Whether its owner has been denied reading it, which people's own directories never are.
    package static func isShut(_ directory: stat) -> Bool {
        directory.st_mode & S_IFMT == S_IFDIR && directory.st_uid == geteuid()
            && directory.st_mode & S_IRUSR == 0
    }

    /// As when its owner has renamed it.
    package var isGone: Bool { access(place.cString, F_OK) != 0 && Errno.current == .noEntry }

    /// The error that kept root from making it immutable: then root's programs can still write
    /// there.
    package func shut(_ directory: Descriptor) throws(Errno) -> Errno? {
        guard geteuid() == 0 else {
            try changeMode(of: directory, to: 0)
            return nil
        }
        let mode = try withExtendedLifetime(directory) { () throws(Errno) in
            try status(of: directory.raw).st_mode & 0o7777
        }
        if mode != 0 {
            // An immutable directory's mode cannot be changed. One that is shut stays so
            // throughout: root's programs would write there meanwhile.
            if isImmutable(directory) { try setImmutable(directory, false) }
            try changeMode(of: directory, to: 0)
        }
        do throws(Errno) { try setImmutable(directory, true) } catch { return error }
        return nil
    }

    /// Gives the directory back what it had. Does nothing if it is gone or was opened by hand.
    package func open() throws(PathFailure) {
        let directory: Descriptor
        do throws(PathFailure) { directory = try openTrusted(place) } catch {
            if case .failed(.noEntry) = error { return }
            throw error
        }
        do throws(Errno) { try open(directory) } catch { throw .failed(error) }
    }

    package func open(_ directory: Descriptor) throws(Errno) {
        let found = try withExtendedLifetime(directory) { () throws(Errno) in
            try status(of: directory.raw)
        }
        guard Self.isShut(found) else { return }
        let isRoot = geteuid() == 0
        if isRoot, isImmutable(directory) { try setImmutable(directory, false) }
        try changeMode(of: directory, to: mode)
        if isRoot, wasImmutable { try setImmutable(directory, true) }
    }
}

/// Why a directory is left as it is.
package enum ShutRefusal: Error, CustomStringConvertible {
    case foreign(UInt32)
    case shared
    case mounted
    case failed(Errno)

    package var description: String {
        switch self {
        case .foreign(let owner): "it belongs to uid \(owner)"
        case .shared: "everybody may write to it"
        case .mounted: "a file system is mounted there"
        case .failed(let error): error.description
        }
    }
}
