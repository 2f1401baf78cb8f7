// What the file system of a backing directory can do, found out by trying.

internal import CShims
internal import Glibc
package import MAMModel
package import MAMSystem

/// What the file system lacks of what mamd uses. The size of its blocks is no question of trying:
/// ``blockByteCount(ofFileSystem:)``.
package struct StoreProbe: Sendable {
    package enum Need: Sendable, CaseIterable {
        /// A file's device number is its directory's.
        case oneDevice
        case rename
        /// Names that differ in case are two.
        case caseInNames
        /// A file with two names is one file, also once one of them is gone.
        case links
        /// `RENAME_EXCHANGE`.
        case exchange
        case holes
        case attributes
        case handles

        /// Whether no workspace can be written to without it.
        package var isVital: Bool { [.oneDevice, .rename, .caseInNames].contains(self) }
    }

    /// In the order of ``Need``.
    package let lacking: [Need]

    /// Makes files in a directory of that file system, and removes them. Throws if it cannot make
    /// any.
    package init(in work: Descriptor) throws(Errno) {
        let trial = Trial(in: work.raw)
        defer { trial.end() }
        let file = try trial.makeFile("probe-a")
        lacking = try withExtendedLifetime((work, file)) { () throws(Errno) in
            var lacking: [Need] = []
            for need in Need.allCases where try !trial.meets(need, file.raw) {
                lacking.append(need)
            }
            return lacking
        }
    }

    /// What a person loses by it in that directory.
    package static func loss(of need: Need, at place: ByteString) -> Message {
        let place = place.shown
        return switch need {
        case .oneDevice:
            "on the file system of \(place) a file has another device number than its directory,"
                + " as on an overlay with layers on two disks: no file can be opened"
        case .rename: "the file system of \(place) renames no files: nothing can be created"
        case .caseInNames: "the file system of \(place) does not distinguish B from b in names"
        case .links:
            "the file system of \(place) does not keep files with two names: making a link fails"
        case .exchange:
            "the file system of \(place) cannot exchange two names: programs that do fail"
        case .holes:
            "the file system of \(place) makes no holes: freeing a part of a file fails"
        case .attributes:
            "the file system of \(place) keeps no extended attributes: directories have no"
                + " default owner or class"
        case .handles:
            "the file system of \(place) has no file handles: the mount's do not last"
        }
    }
}

/// Files of one probe.
private struct Trial {
    private let directory: Int32
    /// Other probes may run in the same directory.
    private let mark = String(UInt32.random(in: 0 ... .max), radix: 16)

    init(in directory: Int32) { self.directory = directory }

    func makeFile(_ name: String) throws(Errno) -> Descriptor {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        return try openFile(at: directory, "\(name)\(mark)", flags, mode: 0o600)
    }

    /// In the order of the cases: each finds the files where the one before left them.
    func meets(_ need: StoreProbe.Need, _ file: Int32) throws(Errno) -> Bool {
        switch need {
        case .oneDevice:
            let devices = [try? status(of: file).st_dev, try? status(of: directory).st_dev]
            return devices[0] == devices[1]
        case .rename: return try canRename()
        case .caseInNames: return faccessat(directory, "PROBE-B\(mark)", F_OK, 0) != 0
        case .links: return (try? keepsLinks()) ?? false
        case .exchange:
            guard (try? makeFile("probe-c")) != nil else { return false }
            let exchanged = try? exchangeNames(
                at: directory, "probe-b\(mark)", and: directory, "probe-c\(mark)")
            return exchanged ?? false
        case .holes:
            return (try? setSize(file, 16_384)) != nil
                && (try? punchHole(file, at: 4096, count: 4096)) != nil
        case .attributes: return mam_fsetxattr(file, "user.mam.probe", "1", 1, 0) == 0
        case .handles:
            var handle = mam_file_handle()
            return mam_file_handle_of(file, &handle) == 0
        }
    }

    /// Throws what a disk that fails or is full refuses: another time it may do it.
    private func canRename() throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try retrying { renameat(directory, "probe-a\(mark)", directory, "probe-b\(mark)") }
            return true
        } catch {
            guard error.meansNoRoom || [.ioError, .readOnly, .staleHandle].contains(error) else {
                return false
            }
            throw error
        }
    }

    /// As the mount refers to a file: by a descriptor of the first name. A file system in a program
    /// may take each name for a file.
    private func keepsLinks() throws(Errno) -> Bool {
        let (first, second) = ("probe-d\(mark)", "probe-e\(mark)")
        _ = try makeFile("probe-d")
        let file = try openFile(at: directory, first, openPathOnly | O_NOFOLLOW)
        _ = try retrying { linkat(directory, first, directory, second, 0) }
        let two = try [status(at: file.raw, ""), status(at: directory, second)]
        _ = try retrying { unlinkat(directory, first, 0) }
        let one = try status(at: file.raw, "")
        return two.allSatisfy { $0.st_nlink == 2 && $0.st_ino == one.st_ino } && one.st_nlink == 1
    }

    func end() {
        for letter in ["a", "b", "c", "d", "e"] {
            unlinkat(directory, "probe-\(letter)\(mark)", 0)
        }
    }
}
