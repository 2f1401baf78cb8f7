// What daemons and headers say of many files: one connection for each mount, calls in batches.

internal import Glibc
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

    private var rest: ArraySlice<ByteString>
    private let takesDirectories: Bool
    private let asksForRefusals: Bool
    private var answers: [Answer] = []
    private var mounts: [Int: KnownMount] = [:]

    init(about paths: [ByteString], orDirectory: Bool, andForRefusals: Bool = false) {
        (rest, takesDirectories, asksForRefusals) = (paths[...], orDirectory, andForRefusals)
    }

    /// Call it once for each file.
    func next() throws -> AnsweredFile {
        if answers.isEmpty {
            let batch = rest.prefix(VarlinkClient.batchCount)
            rest = rest.dropFirst(batch.count)
            answers = ask(Array(batch)).reversed()
        }
        guard let answer = answers.popLast() else { throw Errno.noData }
        return try answer.get()
    }

    private func ask(_ paths: [ByteString]) -> [Answer] {
        let opened = paths.map { path in Result { try open(path) } }
        var answers: [Answer?] = opened.map { file in
            if case .failure(let error) = file { .failure(error) } else { nil }
        }
        let files = opened.enumerated().compactMap { place, file in
            (try? file.get()).map { (place, file: $0) }
        }
        for (mount, members) in Dictionary(grouping: files, by: \.file.mount) {
            for (member, answer) in zip(members, ask(members.map(\.file), in: mount)) {
                answers[member.0] = answer
            }
        }
        return answers.compactMap { $0 }
    }

    private func open(_ path: ByteString) throws -> Opened {
        let file = try openForQuestion(path, orDirectory: takesDirectories)
        let mount = try naming(path) { () throws(Errno) in try mountID(of: file.raw) }
        if mounts[mount] == nil { mounts[mount] = try known(file) }
        return (path, file, mount)
    }

    private func known(_ file: Descriptor) throws(Failure) -> KnownMount {
        let name = workspace(of: file)
        var daemon: Daemon?
        if let name { daemon = try Daemon(of: name, servingMountOf: file) }
        return KnownMount(held: file, daemon: daemon)
    }

    private func ask(_ files: [Opened], in mount: Int) -> [Answer] {
        guard let daemon = mounts[mount]?.daemon else {
            return files.map { file in
                Result {
                    AnsweredFile(
                        facts: try headerFacts(file.path, file.file), file: file.file,
                        isInWorkspace: false)
                }
            }
        }
        let answers = ask(files, daemon)
        // The daemon may have ended a connection that it thought idle, or have been replaced.
        guard answers.contains(where: isDisconnected) else { return answers }
        mounts[mount] = nil
        do throws(Failure) {
            let known = try known(files[0].file)
            mounts[mount] = known
            return known.daemon.map { ask(files, $0) } ?? answers
        } catch { return answers }
    }

    private func ask(_ files: [Opened], _ daemon: Daemon) -> [Answer] {
        let inspected = daemon.inspect(
            files.map(\.file), for: asksForRefusals ? .read : nil,
            about: { .verbatim(files[$0].path.shown) })
        return zip(files, inspected).map { file, found in
            Result {
                let (info, refusal) = try found.get()
                return AnsweredFile(
                    facts: FileReport(file.path, info), file: file.file, refusal: refusal)
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
        guard facts.fileClass == facts.effectiveClass, refusal == nil else { return nil }
        return dataHeldIfRead
    }

    /// The same for a verb that wants the right to read.
    var dataHeldIfRead: Identity? {
        isInWorkspace ? ownerOfDataHeld(in: file, facts.state) : nil
    }
}
