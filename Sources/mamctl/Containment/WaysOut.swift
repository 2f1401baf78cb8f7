// The standard streams, and other descriptors, that a contained command would inherit.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// The standard streams of a contained command.
struct ContainedStreams {
    private let workspace: Mount
    private let mayBeTerminals: Bool

    init(in workspace: Mount, mayBeTerminals: Bool) {
        self.workspace = workspace
        self.mayBeTerminals = mayBeTerminals
    }

    /// Standard input, if the command gets a copy of it: a pipe of its own, which leads nowhere.
    var isInputCopied: Bool {
        let access = fcntl(STDIN_FILENO, F_GETFL) & (O_ACCMODE | openPathOnly)
        return access != O_WRONLY && access & openPathOnly == 0
            && file(STDIN_FILENO).map { isNameless($0.0, $0.1) } == true
    }

    /// Those through which the command could pass on what it reads.
    var waysOut: [Int32] {
        (STDIN_FILENO...STDERR_FILENO).filter { number in
            wayOut(number) != nil && !(number == STDIN_FILENO && isInputCopied)
        }
    }

    /// Refuses a way out other than those. A terminal is none, unless settings say so: its person
    /// may read. The supervisor closes all other descriptors.
    func refuseWaysOut(besides given: [Int32]) throws(Failure) {
        let names: [Message] = ["standard input", "standard output", "standard error"]
        for number in waysOut where !given.contains(number) {
            let (name, place) = (names[Int(number)], wayOut(number) ?? "a file")
            throw Failure(
                .refused, "\(name) leads out of the workspace, to \(place)",
                next: "let the command write to a file in the workspace, or add --discard-output")
        }
    }

    /// Where a stream leads; nil if not outside. Whatever it was opened for: /proc/self/fd opens a
    /// pipe anew for writing, and Landlock judges only files that have a path.
    private func wayOut(_ number: Int32) -> Message? {
        guard let (file, status) = file(number) else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFCHR where isatty(number) == 1: return mayBeTerminals ? nil : "a terminal"
        case S_IFCHR where isNull(status): return nil
        case S_IFREG where isInWorkspace(file): return nil
        case S_IFIFO: return "a pipe"
        case S_IFSOCK: return "a socket"
        case _ where fcntl(number, F_GETFL) & O_ACCMODE == O_RDONLY && !isNameless(file, status):
            return nil
        default:
            return (try? currentPath(of: number)).map { .verbatim($0.shown) } ?? "a file"
        }
    }

    /// Nil if it is closed.
    private func file(_ number: Int32) -> (Descriptor, stat)? {
        guard let file = try? duplicate(number), let status = try? status(of: file.raw) else {
            return nil
        }
        return (file, status)
    }

    /// Pipes, sockets, and what lies in the kernel's memory alone, such as memfd_create(2)'s files.
    private func isNameless(_ file: Descriptor, _ status: stat) -> Bool {
        switch status.st_mode & S_IFMT {
        case S_IFIFO, S_IFSOCK: true
        default: (try? MountTable().mount(of: file.raw)) == nil
        }
    }

    /// The device, since the name may be another workspace's too.
    private func isInWorkspace(_ file: Descriptor) -> Bool {
        let mount = try? MountTable().mount(of: file.raw)
        return mount?.device == workspace.device && mount?.workspace == workspace.workspace
    }
}

/// /dev/null, /dev/zero and /dev/full.
private func isNull(_ status: stat) -> Bool {
    let memoryDevices: UInt32 = 1
    return major(status.st_rdev) == memoryDevices && [3, 5, 7].contains(minor(status.st_rdev))
}

func major(_ device: dev_t) -> UInt32 {
    UInt32(truncatingIfNeeded: device >> 8 & 0xfff | device >> 32 & ~0xfff)
}

private func minor(_ device: dev_t) -> UInt32 {
    UInt32(truncatingIfNeeded: device & 0xff | device >> 12 & ~0xff)
}

/// Runs `body` while these streams are others, for a process that it forks. Afterwards they are as
/// before: messages of this process reach whom they are for.
func withStreams<Result: ~Copyable>(
    _ replaced: [Int32: Descriptor], _ body: () throws -> Result
) throws -> Result {
    let kept = try replaced.keys.map { number in (number, try duplicate(number)) }
    defer { for (number, stream) in kept { dup2(stream.raw, number) } }
    for (number, other) in replaced { _ = try retrying { dup2(other.raw, number) } }
    return try body()
}

extension Daemon {
    /// Refuses standard streams that write into a file of the workspace that is not the account's.
    /// Where containment is required, nobody outside has such a descriptor of one that is.
    func refuseOthersFiles(_ told: Varlink.Identity.Containment) throws {
        guard told.required else { return }
        for number in STDIN_FILENO...STDERR_FILENO {
            guard fcntl(number, F_GETFL) & O_ACCMODE != O_RDONLY,
                let file = try? duplicate(number),
                try MAMSystem.status(of: file.raw).st_mode & S_IFMT == S_IFREG
            else { continue }
            let path = try currentPath(of: number)
            let reply = try call(
                Varlink.Workspace.ProtectionInfo(fileDescriptor: 0), descriptors: [file],
                about: .verbatim(path.shown))
            let owner = try FileProtection(reply.protection).owner
            guard owner.description != told.account else { continue }
            throw Failure(
                .refused, "\(path.shown), a standard stream, is not \(told.account)'s",
                next: "let the command open its file itself")
        }
    }
}
