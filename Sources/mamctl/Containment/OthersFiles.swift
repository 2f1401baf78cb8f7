// Files of the workspace that a contained command would write by a descriptor from outside.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

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
