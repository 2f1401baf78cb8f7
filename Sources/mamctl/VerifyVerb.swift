// `verify`.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func verify(_ invocation: Invocation) throws -> ExitStatus {
    let subject = try VerifySubject(invocation)
    // Until then a daemon that was started for this serves.
    defer { subject.finish() }
    try invocation.unlockForCheck(subject)
    let places = FindingPaths(try subject.daemon.status())
    var output = VerifyOutput(places, isJSON: invocation.isJSON)
    var parameters: [String: JSONValue] = ["repair": .bool(invocation.arguments.has("repair"))]
    if subject.file != nil { parameters["fileDescriptor"] = 0 }
    var failure: VarlinkError?
    try subject.daemon.stream(
        "Verify", parameters, descriptors: subject.file.map { [$0] } ?? []
    ) { reply in
        do throws(VarlinkError) { try output.take(reply) } catch { failure = error }
        return failure == nil
    }
    if let failure { throw failure }
    return try output.finish(subject.daemon)
}

/// Where the files of a finding are, as a person knows them.
struct FindingPaths {
    let tree: ByteString
    let backing: ByteString

    init(_ report: StatusReport) {
        backing = ByteString(report.backingDirectory)
        tree = report.mountPoint.isEmpty ? backing : ByteString(report.mountPoint)
    }

    func shown(_ finding: FindingReport) -> String {
        if finding.isOfState { return finding.path }
        let isOwn = finding.path.hasPrefix(".mamd/")
        return "\((isOwn ? backing : tree).shown)/\(finding.path)"
    }
}

/// Lines, progress and JSON.
private struct VerifyOutput {
    private let places: FindingPaths
    private let isJSON: Bool
    private let progress = Progress()
    private var findings: [FindingReport] = []
    private var summary: VerifyReport?

    init(_ places: FindingPaths, isJSON: Bool) {
        self.places = places
        self.isJSON = isJSON
    }

    mutating func take(_ reply: Parameters) throws(VarlinkError) {
        if reply.has("finding") {
            let finding = try FindingReport(try reply.object("finding"))
            findings.append(finding)
            progress.clear()
            if !isJSON { printOut("\(places.shown(finding)): \(description(of: finding))") }
        } else if reply.has("progress") {
            show(try VerifyReport(try reply.object("progress")))
        } else {
            summary = try VerifyReport(try reply.object("summary"))
        }
    }

    func finish(_ daemon: Daemon) throws(Failure) -> ExitStatus {
        progress.clear()
        guard let summary else {
            throw Failure(.unreachable, "the daemon of workspace '\(daemon.name)' ended")
        }
        if isJSON {
            printJSON(["findings": .array(findings.map(\.json)), "summary": summary.json])
        } else {
            if let place = findings.first(where: { $0.outcome == .quarantined })?.action {
                explainQuarantine(place)
            }
            printOut(line(for: summary))
        }
        return summary.status
    }

    private func description(of finding: FindingReport) -> String {
        let blocks = finding.blockCount > 0 ? "\(blockList(finding)): " : ""
        let action: String? =
            switch finding.outcome {
            case .repaired, .incomplete: finding.action
            case .left: finding.action.map { "not repaired: \($0)" }
            case .quarantined: finding.action.map { "moved to \(shownOwn($0))" }
            case .unchecked: "not checked"
            case .unreadable: "not checked: see ls -l for its permissions"
            case .noted: nil
            }
        return "\(blocks)\(ByteString(finding.reason).shown)\(action.map { " (\($0))" } ?? "")"
    }

    private func shownOwn(_ path: String) -> String {
        "\(places.backing.shown)/\(path)"
    }

    private static let shownRanges = 8

    private func blockList(_ finding: FindingReport) -> String {
        let shown = finding.blocks.prefix(Self.shownRanges).map { range in
            range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }
        let isAll = finding.blocks.count <= Self.shownRanges
        let noun = finding.blockCount == 1 ? "block" : "\(finding.blockCount) blocks,"
        return "\(noun) \(shown.joined(separator: ", "))\(isAll ? "" : ", …")"
    }

    private func explainQuarantine(_ place: String) {
        let parts = place.split(separator: "/").prefix(3).joined(separator: "/")
        let directory = shownOwn(parts)
        printOut(
            """
            What was moved away is in \(directory), and \(directory).log says why. To have a file back, move it \
            to its place in \(places.backing.shown) while the workspace is not mounted.
            """)
    }

    private func line(for summary: VerifyReport) -> String {
        var parts = ["\(summary.files) files, \(summary.bytes) bytes"]
        let problems = summary.left + summary.repaired + summary.quarantined
        parts.append(
            problems == 0 ? "nothing wrong" : problems == 1 ? "1 problem" : "\(problems) problems")
        if summary.repaired > 0 { parts.append("\(summary.repaired) repaired") }
        if summary.incomplete > 0 {
            parts.append("content may be missing after \(summary.incomplete) of them")
        }
        if summary.quarantined > 0 { parts.append("\(summary.quarantined) moved to quarantine") }
        if summary.left > 0 { parts.append("\(summary.left) left") }
        if summary.foreign > 0 { parts.append("\(summary.foreign) foreign") }
        if summary.unreadable > 0 {
            parts.append("\(summary.unreadable) could not be read")
        }
        if summary.uncheckedFiles > 0 {
            parts.append("\(summary.uncheckedFiles) files not checked: no key is available")
        }
        return parts.joined(separator: "; ")
    }

    private func show(_ counts: VerifyReport) {
        progress.files = counts.files
        (progress.bytes, progress.totalBytes) = (counts.bytes, counts.totalBytes)
        progress.show()
    }
}
