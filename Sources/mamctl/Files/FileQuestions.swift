// What daemons and headers say of many files: one connection for each mount, calls in batches.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire

/// One file with what is said of it.
struct AnsweredFile {
    let facts: FileReport
    fileprivate let file: Descriptor
    fileprivate var isInWorkspace = true
    /// Why this program may not read it; nil also if nobody asked.
    fileprivate(set) var refusal: Failure?
    fileprivate var mayHoldData = true
}

/// The answers for a verb's files, in order.
final class FileQuestions {
    private typealias Answer = Result<AnsweredFile, any Error>
    private typealias Opened = (path: ByteString, file: Descriptor, mount: Int)

    /// The mount's id is not used anew while a file of it is held.
    private struct KnownMount {
        let held: Descriptor
        /// Nil outside workspaces.
        let daemon: Daemon?
    }

    /// Files that were opened, and asked about.
    private struct Batch {
        let files: [Result<Opened, any Error>]
        let parts: [Part]
    }

    /// A batch's files of one mount. `asked`: nil outside workspaces.
    private struct Part {
        let mount: Int
        let places: [Int]
        let asked: (Daemon, Inspection)?
    }

    private var rest: ArraySlice<ByteString>
    private let takesDirectories: Bool
    private let question: FileQuestion
    private var asked: Batch?
    private var answers: [Answer] = []
    private var mounts: [Int: KnownMount] = [:]

    init(
        about paths: [ByteString], orDirectory: Bool, _ question: FileQuestion = FileQuestion()
    ) {
        (rest, takesDirectories, self.question) = (paths[...], orDirectory, question)
    }

    /// Call it once for each file.
    func next() throws -> AnsweredFile {
        if answers.isEmpty {
            let batch = asked ?? askNext()
            // The daemons answer about the next ones while these are printed.
            asked = rest.isEmpty ? nil : askNext()
            answers = answers(to: batch).reversed()
        }
        guard let answer = answers.popLast() else { throw Errno.noData }
        return try answer.get()
    }

    private func askNext() -> Batch {
        let paths = rest.prefix(VarlinkClient.batchCount)
        rest = rest.dropFirst(paths.count)
        let files = paths.map { path in Result { try open(path) } }
        let opened = files.enumerated().compactMap { place, file in
            (try? file.get()).map { (place: place, mount: $0.mount, file: $0.file) }
        }
        let parts = Dictionary(grouping: opened, by: \.mount).map { mount, members in
            let daemon = mounts[mount]?.daemon
            return Part(
                mount: mount, places: members.map(\.place),
                asked: daemon.map { ($0, $0.inspect(members.map(\.file), for: question)) })
        }
        return Batch(files: files, parts: parts)
    }

    private func answers(to batch: Batch) -> [Answer] {
        var answers: [Answer?] = batch.files.map { file in
            if case .failure(let error) = file { .failure(error) } else { nil }
        }
        for part in batch.parts {
            let files = part.places.compactMap { try? batch.files[$0].get() }
            for (place, answer) in zip(part.places, self.answers(to: part, files)) {
                answers[place] = answer
            }
        }
        return answers.compactMap { $0 }
    }

    private func open(_ path: ByteString) throws -> Opened {
        let file = try openForQuestion(path, orDirectory: takesDirectories)
        let mount = try naming(path, mountID(of: file.raw))
        if mounts[mount] == nil { mounts[mount] = try known(file) }
        return (path, file, mount)
    }

    private func known(_ file: Descriptor) throws(Failure) -> KnownMount {
        let name = workspace(of: file)
        var daemon: Daemon?
        if let name { daemon = try Daemon(of: name, servingMountOf: file) }
        return KnownMount(held: file, daemon: daemon)
    }

    private func answers(to part: Part, _ files: [Opened]) -> [Answer] {
        guard let (daemon, inspection) = part.asked else {
            return files.map { file in
                Result {
                    AnsweredFile(
                        facts: try headerFacts(file.path, file.file), file: file.file,
                        isInWorkspace: false)
                }
            }
        }
        let answers = answers(to: inspection, of: daemon, files)
        // The daemon may have ended a connection that it thought idle, or have been replaced.
        guard answers.contains(where: isDisconnected) else { return answers }
        mounts[part.mount] = nil
        do throws(Failure) {
            let known = try known(files[0].file)
            mounts[part.mount] = known
            return known.daemon.map { daemon in
                let inspection = daemon.inspect(files.map(\.file), for: question)
                return self.answers(to: inspection, of: daemon, files)
            } ?? answers
        } catch { return answers }
    }

    private func answers(
        to inspection: Inspection, of daemon: Daemon, _ files: [Opened]
    ) -> [Answer] {
        let inspected = daemon.answers(
            to: inspection, about: { .verbatim(files[$0].path.shown) })
        return zip(files, inspected).map { file, found in
            Result {
                let found = try found.get()
                return AnsweredFile(
                    facts: FileReport(file.path, found.info), file: file.file,
                    refusal: found.refusal, mayHoldData: found.holdsData ?? true)
            }
        }
    }
}

private func isDisconnected(_ answer: Result<AnsweredFile, any Error>) -> Bool {
    guard case .failure(let error) = answer, let failure = error as? Failure else { return false }
    return failure.status == .unreachable && !failure.isSilence
}

extension AnsweredFile {
    /// The owner of protected data inside a file of a mount. Nil if reading would be refused or
    /// have effects.
    var dataHeld: Identity? {
        guard mayHoldData, facts.fileClass == facts.effectiveClass, refusal == nil else {
            return nil
        }
        return dataHeldIfRead
    }

    /// The same for a verb that wants the right to read.
    var dataHeldIfRead: Identity? {
        isInWorkspace ? ownerOfDataHeld(in: file, facts.state) : nil
    }
}
