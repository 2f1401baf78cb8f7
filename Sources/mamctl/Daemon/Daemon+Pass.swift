// Converts content from one open file to another through the daemon, which has the keys.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// For messages.
let inputName = ByteString("standard input")

extension Daemon {
    /// From one open file, which is the request's descriptor 0, to another, its 1.
    func pass<Request: VarlinkRequest>(
        _ request: Request, from source: Descriptor, to destination: Descriptor,
        about subject: Message, meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Request.Reply {
        do throws(Failure) {
            return try call(
                request, descriptors: [source, destination], about: subject, meanwhile: meanwhile)
        } catch {
            // The reader, such as head(1), closed the pipe: end by SIGPIPE as if we had written to
            // it.
            if hasNoReader(destination) { raise(SIGPIPE) }
            throw error
        }
    }
}

/// Whether the reader of a pipe has gone. Only pipes report POLLERR.
private func hasNoReader(_ destination: Descriptor) -> Bool {
    var output = pollfd(fd: destination.raw, events: 0, revents: 0)
    return poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
}
