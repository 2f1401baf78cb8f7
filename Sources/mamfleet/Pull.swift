// `mamfleet pull`: the machines' reports, from the engine into the organisation's directory.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func pull(_ arguments: Arguments) throws(Failure) -> ExitStatus {
    let office = try Office(arguments)
    if arguments.has("follow") { try follow(office) }
    let pulling = try Pulling(office)
    try pulling.pullAll()
    pulling.finish(isJSON: arguments.has("json"))
    return .success
}

/// Connects again after a failure, unless waiting does not mend it.
private func follow(_ office: Office) throws(Failure) -> Never {
    var backoff = Backoff(firstMilliseconds: 1000, lastMilliseconds: 60_000)
    while true {
        do throws(Failure) {
            let pulling = try Pulling(office)
            while true {
                try pulling.pullAll()
                pulling.reportNews()
                backoff.reset()
                Deadline(milliseconds: 1000).wait()
            }
        } catch {
            guard error.status == .unreachable else { throw error }
            error.report(by: "mamfleet", isJSON: false)
            Deadline(milliseconds: backoff.next()).wait()
        }
    }
}

/// One run. Holds a batch of messages in memory, and a number for each machine.
private final class Pulling {
    private let office: Office
    private let link: OfficeLink
    private let reports: ReportDirectory
    private var positions: StreamPositions
    private var tally = PullTally()
    /// Entries of the register that were reported as unreadable.
    private var reported: Set<String> = []

    /// In this order: machines that are let in meanwhile are known when their reports are read.
    private static let streams: [MAMEngine.Stream] = [.enrolment, .status, .records, .audit]

    init(_ office: Office) throws(Failure) {
        self.office = office
        link = try office.link(as: Engine.credentials, EngineServers(office.settings.servers))
        reports = try ReportDirectory(office)
        positions = StreamPositions(office)
    }

    func pullAll() throws(Failure) {
        for stream in Self.streams {
            do { try pull(stream) } catch let error as Errno {
                link.progress.clear()
                throw Failure(.failure, "\(office.path)/reports: \(error)")
            } catch let failure as Failure { throw failure } catch {
                throw Failure(.failure, "\(error)")
            }
        }
        link.progress.clear()
        let unreadable = reports.keys.unreadable
        for entry in unreadable.subtracting(reported).sorted() { printError("mamfleet: \(entry)") }
        reported = unreadable
    }

    private func pull(_ stream: MAMEngine.Stream) throws {
        let state = try link.step(Self.words(stream)) {
            connection, milliseconds throws(NatsFailure) -> StreamState? in
            do throws(NatsFailure) {
                return try connection.state(of: stream.rawValue, milliseconds: milliseconds)
            } catch {
                guard error.isUnknownStream else { throw error }
                return nil
            }
        }
        // Nobody has pushed yet.
        guard let state else { return }
        positions.begin(stream.rawValue, created: state.created, last: state.last)
        // The reports of machines that were not registered when the stream was read.
        for (machine, sequence) in positions.unknown(stream.rawValue) {
            guard reports.keys.key(of: machine) != nil else { continue }
            try read(stream, from: sequence, state.last, Self.subject(stream, machine))
            positions.forget(stream.rawValue, machine)
        }
        let next = positions.next(stream.rawValue)
        if state.last >= next { try read(stream, from: next, state.last, nil) }
    }

    private static func words(_ stream: MAMEngine.Stream) -> String {
        "the stream \(stream.rawValue)"
    }

    private static func subject(_ stream: MAMEngine.Stream, _ machine: MachineID) -> String {
        switch stream {
        case .status: Subject.status(machine)
        case .audit: Subject.audit(machine)
        default: Subject.records(machine, account: "*")
        }
    }

    /// Reads to the stream's end, and not only to `last`, which the progress names.
    private func read(
        _ stream: MAMEngine.Stream, from start: UInt64, _ last: UInt64, _ subject: String?
    ) throws {
        var reader = StreamReader(stream.rawValue, from: start, subject: subject)
        while true {
            let batch = try link.step(Self.words(stream)) {
                connection, milliseconds throws(NatsFailure) in
                try reader.read(connection, milliseconds: milliseconds)
            }
            guard let end = batch.last?.sequence else { return }
            for message in batch {
                let outcome = try reports.take(message.subject, message.payload, of: stream)
                tally.count(outcome)
                if case .unknown(let machine) = outcome {
                    positions.noteUnknown(stream.rawValue, machine, message.sequence)
                }
                link.progress.show { _ in
                    "\(counted(tally.total, "report")), at \(message.sequence) of"
                        + " \(max(last, end))"
                }
            }
            // The reports must be durable before the position moves.
            try reports.synchronize()
            if subject == nil { positions.move(stream.rawValue, to: end) }
            try positions.write()
        }
    }

    /// Prints what is new since the last time.
    func reportNews() {
        if tally.total > 0 { printOut(verbatim: tally.words) }
        tally = PullTally()
        reports.keys.reload()
    }

    func finish(isJSON: Bool) {
        if isJSON { return printJSON(tally.json) }
        printOut(verbatim: tally.words)
    }
}

/// What came of the messages.
struct PullTally {
    private(set) var written = 0
    private(set) var known = 0
    private(set) var unknown = 0
    private(set) var refused = 0
    private(set) var reason: String?

    var total: Int { written + known + unknown + refused }

    mutating func count(_ outcome: ReportOutcome) {
        switch outcome {
        case .written: written += 1
        case .known: known += 1
        case .unknown: unknown += 1
        case .refused(let words):
            refused += 1
            reason = reason ?? words
        }
    }

    var json: JSONValue {
        [
            "written": .integer(Int64(written)), "known": .integer(Int64(known)),
            "unknownMachines": .integer(Int64(unknown)), "refused": .integer(Int64(refused)),
            "reason": reason.map { .string($0) } ?? .null,
        ]
    }

    var words: String {
        var words = counted(written, "new report")
        if unknown > 0 { words += ", \(unknown) of machines that are not registered" }
        if refused > 0 { words += ", \(refused) refused" }
        if let reason { words += "; the first: \(reason.onOneLine)" }
        return words
    }
}
