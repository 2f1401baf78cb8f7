// The other names of a file in a mount, which is converted only while it has one.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem

extension Failure {
    /// With the names in place of the way to find them, as far as this program may see them.
    func naming(otherNamesOf file: Descriptor, _ path: ByteString) -> Failure {
        guard next?.english == wayToOtherNames,
            let mount = try? MountTable().mount(of: file.raw),
            let own = try? currentPath(of: file.raw)
        else { return self }
        let top = ByteString(mount.mountPoint)
        let names = NameSearch(for: file)?.names(below: top).filter { $0 != own } ?? []
        let next: Message =
            names.isEmpty
            ? "find \(top.asArgument) -samefile \(path.asArgument), and leave one of them"
            : Message(
                names.count, one: "leave one of its names; the other is \(names.asArguments)",
                many: "leave one of its names; the others are \(names.asArguments)")
        return with(guess: "", next: next)
    }
}

extension [ByteString] {
    fileprivate var asArguments: String { map(\.asArgument).joined(separator: " ") }
}

private final class NameSearch {
    /// A person waits for it.
    private static let seconds = 5

    private let file: stat
    private let deadline = Deadline(seconds: seconds)
    private var found: [ByteString] = []

    init?(for file: Descriptor) {
        guard let status = try? status(of: file.raw) else { return nil }
        self.file = status
    }

    func names(below top: ByteString) -> [ByteString] {
        if let directory = try? openFile(top.cString, O_RDONLY | O_DIRECTORY) {
            search(directory, at: top)
        }
        return found
    }

    private var isOver: Bool { found.count == file.st_nlink || deadline.hasPassed }

    private func search(_ directory: Descriptor, at path: ByteString) {
        for name in (try? entries(of: directory.raw)) ?? [] where !isOver {
            guard let status = try? status(at: directory.raw, name.cString),
                status.st_dev == file.st_dev
            else { continue }
            if status.st_ino == file.st_ino { found.append(path.appending(name)) }
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            if status.st_mode & S_IFMT == S_IFDIR,
                let inner = try? openFile(at: directory.raw, name.cString, flags)
            {
                search(inner, at: path.appending(name))
            }
        }
    }
}
