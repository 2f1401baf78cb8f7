// Content from one open file to another, by way of the daemon, which has the keys.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// For messages.
let inputName = ByteString("standard input")

extension Daemon {
    /// From one open file to another; returns the count of plain bytes.
    func pass(
        _ method: String, _ parameters: [String: JSONValue], from source: Descriptor,
        to destination: Descriptor, about subject: String,
        meanwhile: (PendingReply) -> Void = { _ in }
    ) throws(Failure) -> Int {
        let ends: [String: JSONValue] = ["sourceDescriptor": 0, "destinationDescriptor": 1]
        let reply: Parameters
        do throws(Failure) {
            reply = try call(
                method, parameters.merging(ends) { $1 }, descriptors: [source, destination],
                about: subject, meanwhile: meanwhile)
        } catch {
            // As if we had written it ourselves: `head` has what it wants, and nobody is to hear.
            if hasNoReader(destination) { raise(SIGPIPE) }
            throw error
        }
        do throws(VarlinkError) { return try reply.integer("bytes") } catch {
            throw Failure(any: error)
        }
    }
}

/// Of a pipe; no other file has an error that waits.
private func hasNoReader(_ destination: Descriptor) -> Bool {
    var output = pollfd(fd: destination.raw, events: 0, revents: 0)
    return poll(&output, 1, 0) == 1 && output.revents & Int16(POLLERR) != 0
}
