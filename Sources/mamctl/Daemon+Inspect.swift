// Asking about many files: a message costs more than the answer about a file.

internal import MAMModel
internal import MAMSystem
internal import MAMWire

extension Daemon {
    /// What the daemon says of a file, and why it refuses the act, if it does.
    typealias Inspected = Result<(info: FileProtection, refusal: Failure?), Failure>

    /// For at most ``VarlinkClient/batchCount`` files. `about`: the subject of a file's failure, by
    /// its place.
    func inspect(
        _ files: [Descriptor], for act: FileAct?, about subject: (Int) -> Message
    ) -> [Inspected] {
        let parts = stride(from: 0, to: files.count, by: Self.filesInCall).map {
            $0..<min($0 + Self.filesInCall, files.count)
        }
        let replies = call(
            parts.map { part in
                let indices = Array(0..<part.count)
                return (
                    Varlink.Workspace.Inspect(fileDescriptors: indices, act: act?.rawValue),
                    Array(files[part])
                )
            })
        if case .failure(.refused(let error))? = replies.first, error.isOfMissingMethod {
            return inspectOneByOne(files, for: act, about: subject)
        }
        return zip(parts, replies).flatMap { part, reply in
            inspected(part, reply, about: subject)
        }
    }

    private static let filesInCall = FrameReader.maximumDescriptorCount

    private func inspected(
        _ part: Range<Int>, _ reply: Result<Varlink.Workspace.Inspect.Reply, VarlinkClient.Failure>,
        about subject: (Int) -> Message
    ) -> [Inspected] {
        part.map { place in
            Result { () throws(Failure) in
                let found = try reply.mapError { failure($0, about: subject(place)) }.get()
                let files = found.files
                guard files.count == part.count, case let file = files[place - part.lowerBound]
                else { throw failure(.malformed, about: nil) }
                return try answer(
                    file.protection, file.refusal, failure: file.failure, about: { subject(place) })
            }
        }
    }

    private func answer(
        _ protection: Varlink.Workspace.Protection?, _ refusal: Varlink.Workspace.Refusal?,
        failure: Varlink.Workspace.Refusal?, about subject: () -> Message
    ) throws(Failure) -> (FileProtection, Failure?) {
        guard let protection else {
            throw failure.map { Failure(VarlinkError($0), about: subject()) }
                ?? self.failure(.malformed, about: nil)
        }
        do throws(VarlinkError) {
            return (
                try FileProtection(protection),
                refusal.map { Failure(VarlinkError($0), about: subject()) }
            )
        } catch { throw Failure(any: error) }
    }

    /// By an earlier daemon, which may know no refusals.
    private func inspectOneByOne(
        _ files: [Descriptor], for act: FileAct?, about subject: (Int) -> Message
    ) -> [Inspected] {
        let infos = call(
            files.map { (Varlink.Workspace.ProtectionInfo(fileDescriptor: 0), [$0]) })
        let refusals = act.map { act in
            call(
                files.map {
                    (Varlink.Workspace.WhyRefused(fileDescriptor: 0, act: act.rawValue), [$0])
                })
        }
        return infos.enumerated().map { place, info in
            Result { () throws(Failure) in
                let found = try info.mapError { failure($0, about: subject(place)) }.get()
                let refusal = (try? refusals?[place].get())?.refusal
                return try answer(
                    found.protection, refusal, failure: nil, about: { subject(place) })
            }
        }
    }
}
