// What `leave` did not make an ordinary file of. Thousands of files may be left out for one reason:
// people get few lines, and the summary has the counts.

internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

/// A sealed file that was not opened.
struct Unopened: Error {
    let owner: String
    let cause: Failure
}

final class LeftOut {
    private let namesEach: Bool
    private var failures: [(path: ByteString, failure: Failure)] = []
    /// Copies that hold protected data, as their originals do.
    private var holders: [(path: ByteString, owner: String)] = []
    /// Sealed files, by their owners' names.
    private var sealed: [String: Int] = [:]
    private var told: Set<Reason> = []
    private var hints: Set<Message> = []
    private var untold = 0

    private enum Reason: Hashable {
        case unopened(owner: String, ExitStatus)
        case holder(owner: String)
    }

    init(namesEach: Bool) { self.namesEach = namesEach }

    var isEmpty: Bool { failures.isEmpty }

    var status: ExitStatus {
        failures.first?.failure.status ?? (holders.isEmpty ? .success : .failure)
    }

    /// Returns what was wrong.
    func add(_ error: any Error, at path: ByteString) -> Failure {
        let unopened = error as? Unopened
        let cause =
            unopened?.cause ?? (error as? Errno).map { Failure(path, $0) } ?? Failure(any: error)
        let isNamed = cause.message.english.contains(path.shown)
        let failure = Failure(
            cause.status, isNamed ? cause.message : "\(path.shown): \(cause.message)",
            next: cause.next)
        failures.append((path, failure))
        var reason: Reason?
        if let owner = unopened?.owner {
            sealed[owner, default: 0] += 1
            // Each damaged file is so in its own way.
            if cause.status != .damaged { reason = .unopened(owner: owner, cause.status) }
        }
        tell(failure, reason)
        return cause
    }

    /// The mount shows it so, too: only its owner knows that it is to be opened.
    func addHolder(_ copy: ByteString, of owner: Identity) {
        let owner = owner.description
        holders.append((copy, owner))
        let shown = ByteString(owner).shown
        tell(
            Failure(
                .failure, "\(copy.shown) was copied as it is, and holds protected data of \(shown)",
                next: "mamctl decrypt \(copy.asArgument) -o NEW, while the keys are here"),
            .holder(owner: owner))
    }

    private func tell(_ failure: Failure, _ reason: Reason?) {
        if let reason, !told.insert(reason).inserted, !namesEach {
            untold += 1
            return
        }
        let isNew = failure.next.map { hints.insert($0).inserted } ?? false
        (isNew ? failure : Failure(failure.status, failure.message)).report(isJSON: false)
    }

    /// Lines for people. `mark`: what keeps the copy unfinished. `hasMore`: others are not named
    /// either.
    func summary(_ mark: ByteString, hasMore: Bool) -> [Message] {
        var lines: [Message] = []
        for (owner, count) in sealed.sorted(by: { $0.key < $1.key }) {
            lines.append("left out of \(ByteString(owner).shown)'s: \(count.counted("file"))")
        }
        let owners = Dictionary(grouping: holders, by: \.owner).mapValues(\.count)
        for (owner, count) in owners.sorted(by: { $0.key < $1.key }) {
            let shown = ByteString(owner).shown
            lines.append("copied with \(shown)'s protected data in them: \(count.counted("file"))")
        }
        if untold > 0 || hasMore { lines.append("--verbose names each of them") }
        if !failures.isEmpty {
            lines.append(
                "left out in all: \(failures.count.grouped); the same command goes on with that,"
                    + " until \(mark.shown) is removed")
        }
        return lines
    }

    var json: (left: JSONValue, holders: JSONValue) {
        (
            .array(failures.map { ["path": .string($0.path.shown), "error": $0.failure.json] }),
            .array(
                holders.map { ["path": .string($0.path.shown), "owner": .string($0.owner)] })
        )
    }
}
