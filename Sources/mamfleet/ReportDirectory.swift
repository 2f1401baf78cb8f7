// The reports of an organisation's directory.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

enum ReportOutcome {
    case written
    /// This report is there, or a newer one.
    case known
    /// No such machine is registered.
    case unknown(MachineID)
    /// Why it is not what a machine has signed; a clause.
    case refused(String)
}

/// Writes reports that it has verified. They are durable after ``synchronize()``.
final class ReportDirectory {
    private let path: String
    private let organization: Bytes16
    private let office: OrganizationDirectory
    let keys: MachineKeys
    private let directory: Descriptor
    private let audits: AuditFiles

    init(_ office: Office) throws(Failure) {
        path = "\(office.path)/reports"
        organization = office.organization
        self.office = office.directory
        keys = MachineKeys(office)
        audits = AuditFiles("\(path)/audit")
        directory = try naming(path) { [path] () throws(Errno) in
            for name in ["status", "records", "audit", "enrolment"] {
                try makeDirectories("\(path)/\(name)", mode: 0o700)
            }
            return try openFile(path, O_RDONLY | O_DIRECTORY)
        }
    }

    func synchronize() throws(Errno) { try synchronizeFileSystem(of: directory.raw) }

    /// Throws if it cannot be written; what is wrong with it is an outcome.
    func take(
        _ subject: String, _ bytes: [UInt8], of stream: MAMEngine.Stream
    ) throws(Errno) -> ReportOutcome {
        let names = subject.split(separator: ".").map(String.init)
        guard names.count >= 2, let sender = Bytes16(hex: names[1]) else {
            return .refused("the subject \(subject.prefix(100)) names nobody")
        }
        let report: MachineReport
        do throws(Refusal) {
            let envelope = try ReportEnvelope(parsing: bytes)
            if stream == .enrolment {
                report = try MachineReport(enrolment: envelope, in: organization)
            } else if let key = keys.key(of: sender) {
                report = try MachineReport(envelope, of: sender, by: key, in: organization)
            } else {
                return .unknown(sender)
            }
        } catch { return .refused("\(subject): \(error)") }
        let line = report.envelope.encoded()
        switch (stream, report.content) {
        case (.enrolment, .enrolment(let request)) where request.invitation == names[1]:
            return try keepFirst("enrolment/\(sender).json", line)
        case (.status, .status(let status)):
            try keepObeyed(of: sender, before: status)
            return try keepNewest("status/\(sender).json", line, report)
        case (.records, .recoveryRecord(let record))
        where names.count == 3 && record.account.description == names[2]:
            try makeDirectories("\(path)/records/\(sender)", mode: 0o700)
            return try keepNewest("records/\(sender)/\(record.account).json", line, report)
        case (.audit, .audit(let batch)):
            return try audits.append(line, batch, of: sender) ? .written : .known
        default: return .refused("\(subject): a report of another kind or subject")
        }
    }

    private func keepObeyed(
        of machine: MachineID, before status: MachineStatus
    ) throws(Errno) {
        do throws(OrganizationDirectory.Failure) {
            try office.keepObeyed(of: machine, before: status)
        } catch {
            guard case .system(let error) = error.reason else { throw .ioError }
            // What is that long says nothing.
            if error != .fileTooLarge { throw error }
        }
    }

    /// The first request of an invitation stands.
    private func keepFirst(_ file: String, _ line: [UInt8]) throws(Errno) -> ReportOutcome {
        guard access("\(path)/\(file)", F_OK) != 0 else { return .known }
        try write(file, line)
        return .written
    }

    /// A report that is older than the one that is there was replayed.
    private func keepNewest(
        _ file: String, _ line: [UInt8], _ report: MachineReport
    ) throws(Errno) -> ReportOutcome {
        let former = try number(in: file, of: report)
        if let former, former >= report.sequence { return .known }
        try write(file, line)
        return .written
    }

    /// The number of the report in a file; nil if there is none that counts.
    private func number(
        in file: String, of report: MachineReport
    ) throws(Errno) -> Int64? {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try readSmallFile(
                "\(path)/\(file)", maximumByteCount: ReportEnvelope.maximumByteCount + 1)
        } catch {
            // What is there but cannot be read may be newer.
            guard error == .noEntry || error == .fileTooLarge else { throw error }
            return nil
        }
        guard let envelope = try? ReportEnvelope(parsing: bytes),
            let key = keys.key(of: report.machine)
        else { return nil }
        let known = try? MachineReport(envelope, of: report.machine, by: key, in: organization)
        return known?.sequence
    }

    /// Renames the new file into its place, so that readers see the old one or the new one.
    private func write(_ file: String, _ line: [UInt8]) throws(Errno) {
        let (final, new) = ("\(path)/\(file)", "\(path)/\(file).new")
        let descriptor = try openFile(
            new, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
        try (line + [0x0A]).span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(descriptor.raw, from: bytes, at: 0)
        }
        _ = try retrying { rename(new, final) }
    }
}

/// The files of the audit: one line for each batch, in order, without doubles.
private final class AuditFiles {
    private let path: String
    /// The number of the last record in each file that was read.
    private var last: [MachineID: Int64] = [:]

    init(_ path: String) { self.path = path }

    /// False if all its records are there. A batch that has some of them again is kept whole, and
    /// takes nothing away: a machine that was taken over must not rewrite what it has reported.
    func append(
        _ line: [UInt8], _ batch: AuditBatch, of machine: MachineID
    ) throws(Errno) -> Bool {
        let file = try openFile(
            "\(path)/\(machine).jsonl", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        let known: Int64
        if let found = last[machine] { known = found } else { known = try repair(file) }
        last[machine] = known
        guard batch.to > known else { return false }
        let size = Int64(try status(of: file.raw).st_size)
        try (line + [0x0A]).span.withUnsafeBytes { bytes throws(Errno) in
            try writeFully(file.raw, from: bytes, at: size)
        }
        last[machine] = batch.to
        return true
    }

    /// Removes what a crash has left of a line. Returns the last number in the last whole line, or
    /// -1.
    private func repair(_ file: Descriptor) throws(Errno) -> Int64 {
        let size = Int64(try status(of: file.raw).st_size)
        let end = try readEnd(of: file, maximumByteCount: 2 * ReportEnvelope.maximumByteCount)
        guard let newline = end.lastIndex(of: 0x0A) else {
            try setSize(file.raw, size - Int64(end.count))
            return -1
        }
        try setSize(file.raw, size - Int64(end.count - newline - 1))
        let line = end[..<newline].split(separator: 0x0A).last.map(Array.init) ?? []
        guard let payload = (try? ReportEnvelope(parsing: line))?.payload,
            let to = (try? JSONValue(parsing: payload))?.object?["to"]?.integer
        else { return -1 }
        return to
    }
}
