// Asking about many files: a message costs more than the answer about a file.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// What is asked of each of many files.
struct FileQuestion {
    /// Whether the daemon would refuse it.
    var act: FileAct?
    /// Whether protected data is in it.
    var asksForContent = false
}

/// What the daemon says of a file.
struct InspectedFile {
    let info: FileProtection
    /// Why it refuses the act, if it does.
    var refusal: Failure?
    /// Nil if the daemon does not know.
    var holdsData: Bool?
}

/// Files that a daemon was asked about.
struct Inspection {
    fileprivate let files: [Descriptor]
    fileprivate let parts: [Range<Int>]
    fileprivate let question: FileQuestion
    fileprivate let calls: VarlinkClient.BegunCalls<Varlink.Workspace.Inspect>
}

extension Daemon {
    typealias Inspected = Result<InspectedFile, Failure>

    /// Asks about at most ``VarlinkClient/batchCount`` files, and waits for no answer.
    func inspect(_ files: [Descriptor], for question: FileQuestion) -> Inspection {
        let parts = stride(from: 0, to: files.count, by: Self.filesInCall).map {
            $0..<min($0 + Self.filesInCall, files.count)
        }
        let calls = begin(
            parts.map { part in
                (
                    Varlink.Workspace.Inspect(
                        fileDescriptors: Array(0..<part.count), act: question.act,
                        content: question.asksForContent ? true : nil, brief: true),
                    Array(files[part])
                )
            })
        return Inspection(files: files, parts: parts, question: question, calls: calls)
    }

    /// `about`: the subject of a file's failure, by its place.
    func answers(to inspection: Inspection, about subject: (Int) -> Message) -> [Inspected] {
        let replies = replies(to: inspection.calls)
        if case .failure(.refused(let error))? = replies.first, error.isOfMissingMethod {
            return inspectOneByOne(inspection.files, for: inspection.question.act, about: subject)
        }
        return zip(inspection.parts, replies).flatMap { part, reply in
            inspected(part, reply, about: subject)
        }
    }

    private static let filesInCall = FrameReader.maximumDescriptorCount

    private func inspected(
        _ part: Range<Int>, _ reply: Result<Varlink.Workspace.Inspect.Reply, VarlinkClient.Failure>,
        about subject: (Int) -> Message
    ) -> [Inspected] {
        do throws(VarlinkClient.Failure) {
            var inspected: [Inspected] = []
            for answer in try reply.get().files {
                let rest = part.dropFirst(inspected.count)
                let count = answer.count ?? 1
                guard count > 0, count <= rest.count else {
                    throw .malformed
                }
                inspected += answers(answer, for: rest.prefix(count), about: subject)
            }
            guard inspected.count == part.count else { throw .malformed }
            return inspected
        } catch { return part.map { .failure(failure(error, about: subject($0))) } }
    }

    /// The same about each of the files in these places.
    private func answers(
        _ found: Varlink.Workspace.Inspected, for places: Range<Int>,
        about subject: (Int) -> Message
    ) -> [Inspected] {
        let info = found.protection.map { wire in
            Result { () throws(VarlinkError) in try FileProtection(wire) }
        }
        return places.map { place in
            Result { () throws(Failure) in
                guard let info else {
                    throw found.failure.map { Failure(VarlinkError($0), about: subject(place)) }
                        ?? failure(.malformed, about: nil)
                }
                return InspectedFile(
                    info: try info.mapError { Failure(any: $0) }.get(),
                    refusal: found.refusal.map { Failure(VarlinkError($0), about: subject(place)) },
                    holdsData: found.holds)
            }
        }
    }

    /// By an earlier daemon, which may know no refusals.
    private func inspectOneByOne(
        _ files: [Descriptor], for act: FileAct?, about subject: (Int) -> Message
    ) -> [Inspected] {
        let infos = replies(
            to: begin(files.map { (Varlink.Workspace.ProtectionInfo(fileDescriptor: 0), [$0]) }))
        let refusals = act.map { act in
            replies(
                to: begin(
                    files.map {
                        (Varlink.Workspace.WhyRefused(fileDescriptor: 0, act: act), [$0])
                    }))
        }
        return infos.enumerated().flatMap { place, info in
            let refusal = try? refusals?[place].get().refusal
            return inspected(
                place..<place + 1,
                info.map { .init(files: [.init(protection: $0.protection, refusal: refusal)]) },
                about: subject)
        }
    }
}
