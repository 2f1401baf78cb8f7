// `verify`.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMSystem
internal import MAMWire

func verify(_ invocation: Invocation) throws -> ExitStatus {
    let subject = try VerifySubject(invocation)
    // Keep a daemon that was started for the check until the end.
    defer { subject.finish() }
    try invocation.unlockForCheck(subject)
    let places = FindingPaths(try subject.daemon.status())
    var output = VerifyOutput(places, isJSON: invocation.isJSON)
    let request = Varlink.Workspace.Verify(
        fileDescriptor: subject.file.map { _ in 0 }, repair: invocation.arguments.has("repair"))
    try subject.daemon.stream(request, descriptors: subject.file.map { [$0] } ?? []) { reply in
        output.take(reply)
        return true
    }
    return try output.finish(subject.daemon)
}

/// The paths of findings as the user knows them.
struct FindingPaths {
    let tree: ByteString
    let backing: ByteString

    init(_ report: StatusReport) {
        backing = ByteString(report.backingDirectory)
        tree = report.mountPoint.isEmpty ? backing : ByteString(report.mountPoint)
    }

    func shown(_ finding: FindingReport) -> String {
        if finding.place == .state { return finding.path }
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

    mutating func take(_ reply: Varlink.Workspace.Verify.Reply) {
        if let finding = reply.finding {
            findings.append(finding)
            progress.clear()
            if !isJSON { printOut("\(places.shown(finding)): \(description(of: finding))") }
        }
        if let counts = reply.progress { show(counts) }
        summary = reply.summary
    }

    func finish(_ daemon: Daemon) throws(Failure) -> ExitStatus {
        progress.clear()
        guard let summary else { throw daemon.hasEnded }
        if isJSON {
            printJSON(["findings": findings.json, "summary": summary.json])
        } else {
            if let place = findings.first(where: { $0.outcome == .quarantined })?.action {
                explainQuarantine(place)
            }
            printOut(line(for: summary))
        }
        return summary.status
    }

    private func description(of finding: FindingReport) -> Message {
        let reason = Message(finding.words, else: finding.reason)
        let what: Message = finding.blockCount > 0 ? "\(blockList(finding)): \(reason)" : reason
        let action: Message? =
            switch finding.outcome {
            case .repaired, .incomplete: finding.action.map { Message(known: $0) }
            case .left: finding.action.map { "not repaired: \(Message(known: $0))" }
            case .quarantined: finding.action.map { "moved to \(shownOwn($0))" }
            case .unchecked: "not checked"
            case .unreadable: "not checked: see ls -l for its permissions"
            case .noted: nil
            }
        return action.map { "\(what) (\($0))" } ?? what
    }

    private func shownOwn(_ path: String) -> String {
        "\(places.backing.shown)/\(path)"
    }

    private static let shownRanges = 8

    private func blockList(_ finding: FindingReport) -> Message {
        let shown = finding.blocks.prefix(Self.shownRanges).map { range in
            range.first == range.last ? "\(range.first)" : "\(range.first)-\(range.last)"
        }
        let isAll = finding.blocks.count <= Self.shownRanges
        let list = shown.joined(separator: ", ") + (isAll ? "" : ", …")
        return finding.blockCount == 1
            ? "block \(list)" : "\(finding.blockCount) blocks, \(list)"
    }

    private func explainQuarantine(_ place: String) {
        let parts = place.split(separator: "/").prefix(3).joined(separator: "/")
        let directory = shownOwn(parts)
        printOut(
            """
            What was moved away is in \(directory), and \(directory).log says why. \
            To have a file back, move it to its place in \(places.backing.shown) while the \
            workspace is not mounted.
            """)
    }

    private func line(for summary: VerifyReport) -> Message {
        let (files, bytes) = (summary.files, summary.bytes)
        let start: [Message] = [
            Message(files, one: "\(files) file", many: "\(files) files"),
            bytes.asByteCount,
        ]
        var parts = [start.joined(separator: ", ")]
        let problems = summary.left + summary.repaired + summary.quarantined
        parts.append(
            problems == 0
                ? "nothing wrong"
                : Message(problems, one: "\(problems) problem", many: "\(problems) problems"))
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
            let count = summary.uncheckedFiles
            parts.append(
                Message(
                    count, one: "\(count) file not checked: no key is available",
                    many: "\(count) files not checked: no key is available"))
        }
        return parts.joined(separator: "; ")
    }

    private func show(_ counts: VerifyReport) {
        progress.files = counts.files
        (progress.bytes, progress.totalBytes) = (counts.bytes, counts.totalBytes)
        progress.show()
    }
}
