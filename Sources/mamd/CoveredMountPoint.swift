// The directory below the mount, which programs would write to while nothing is mounted.

import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
import MAMSystem

/// `-o shut` and `-o no_shut`.
enum Shutting {
    /// As the last mount left it.
    case unchanged
    case asked, undone
}

/// Shuts the directory, so that it stays shut after the mount however that ends.
struct CoveredMountPoint {
    private let directory: Descriptor
    private let place: ByteString
    /// Nil if it stays an ordinary directory.
    private let point: ShutMountPoint?

    init(
        _ directory: Descriptor, at place: ByteString, of name: WorkspaceName,
        _ shutting: Shutting, report: (String) -> Void
    ) throws(Failure) {
        (self.directory, self.place) = (directory, place)
        let places = Places.current
        let known = places.shutMountPoint(of: name)
        if let known, try Self.open(known, at: place, directory, shutting, report) {
            try stored(of: name) { () throws(Errno) in
                try places.forgetShutMountPoint(of: name)
            }
        }
        let isKnown =
            known.map { $0.place == place || $0.isGone && Self.isShut(directory) } ?? false
        guard shutting == .asked || shutting == .unchanged && isKnown else {
            point = nil
            return
        }
        do throws(ShutRefusal) {
            point = try ShutMountPoint(directory, at: place, known: isKnown ? known : nil)
        } catch {
            report("\(place.shown) stays open to programs while nothing is mounted: \(error)")
            point = nil
            return
        }
        guard let point, point != known else { return }
        try stored(of: name) { () throws(Errno) in try places.keep(point, of: name) }
    }

    private static func isShut(_ directory: Descriptor) -> Bool {
        (try? status(of: directory.raw)).map(ShutMountPoint.isShut) ?? false
    }

    /// Whether the record is done with: a place that stays shut needs it, to get back what it had.
    private static func open(
        _ known: ShutMountPoint, at place: ByteString, _ directory: Descriptor,
        _ shutting: Shutting, _ report: (String) -> Void
    ) throws(Failure) -> Bool {
        switch shutting {
        case .undone where known.place == place:
            do throws(Errno) { try known.open(directory) } catch {
                throw Failure(reason(known, .failed(error)))
            }
            return true
        case .asked where known.place == place, .unchanged: return false
        case .asked, .undone: return try openFormer(known, shutting, report)
        }
    }

    private static func openFormer(
        _ known: ShutMountPoint, _ shutting: Shutting, _ report: (String) -> Void
    ) throws(Failure) -> Bool {
        do throws(PathFailure) { try known.open() } catch {
            let reason = reason(known, error)
            // The record has room for one.
            guard shutting == .undone else {
                throw Failure(
                    "the former mount point \(reason); mount with -o no_shut, or correct that")
            }
            report("the former mount point \(reason.english)")
            return false
        }
        return true
    }

    private static func reason(_ point: ShutMountPoint, _ failure: PathFailure) -> Message {
        "\(point.place.shown) cannot be opened to programs: \(failure)"
    }

    /// For root, whose mount needs no rights on the directory.
    func shut(report: (String) -> Void) throws(Failure) {
        guard let point else { return }
        do throws(Errno) {
            guard let error = try point.shut(directory) else { return }
            report(
                "\(place.shown) cannot be made immutable: \(error); while nothing is mounted,"
                    + " root's programs can write there")
        } catch { throw Failure(reason(error)) }
    }

    /// For an ordinary user, whose `fusermount3` must be able to enter and to write: as short as
    /// can be, and not to list, because a copying program takes an empty directory for the truth.
    func open() throws(Failure) {
        guard point != nil else { return }
        do throws(Errno) { try changeMode(of: directory, to: S_IWUSR | S_IXUSR) } catch {
            throw Failure(reason(error))
        }
    }

    /// After ``open()``, when the mount is there or has failed. Returns what people have to know:
    /// files that the mount hides, or that the directory stays open.
    func close() -> String? {
        guard point != nil else { return hiddenFiles(in: directory, at: place) }
        do throws(Errno) {
            // Nobody reaches it by its path now.
            try changeMode(of: directory, to: S_IRWXU)
            let finding = hiddenFiles(in: directory, at: place)
            try changeMode(of: directory, to: 0)
            return finding.map { "\($0), with: chmod 700 \(place.shown)" }
        } catch { return reason(error).english }
    }

    private func reason(_ error: Errno) -> Message {
        "\(place.shown) cannot be shut: \(error); mount with -o no_shut"
    }
}

private func stored(
    of name: WorkspaceName, _ change: () throws(Errno) -> Void
) throws(Failure) {
    do throws(Errno) { try change() } catch {
        throw Failure("\(Places.current.state(of: name)) cannot be written: \(error)")
    }
}

/// Root's daemon does this before it gives up the right to make a directory immutable. Not below a
/// dead mount, where the directory is as the mount's daemon left it.
func shutMountPoint(
    _ mountPoint: ByteString, of name: WorkspaceName, _ shutting: Shutting,
    report: (String) -> Void
) throws(Failure) {
    guard geteuid() == 0, try deadMount(at: mountPoint) == nil else { return }
    let directory = try openMountPoint(mountPoint)
    try checkIsEmpty(directory, at: mountPoint)
    try CoveredMountPoint(directory, at: mountPoint, of: name, shutting, report: report)
        .shut(report: report)
}
