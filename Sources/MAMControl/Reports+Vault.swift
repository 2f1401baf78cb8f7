// Wire forms of the vault's values.

internal import MAMModel
internal import MAMStore
internal import MAMSystem
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension FindingReport {
    init(_ finding: Finding) {
        let (outcome, action): (Varlink.Workspace.Outcome, String?) =
            switch finding.outcome {
            case .left(let reason): (.left, reason)
            case .repaired(let what): (.repaired, what)
            case .incomplete(let what): (.incomplete, what)
            case .quarantined(let place): (.quarantined, place.shown)
            case .unchecked: (.unchecked, nil)
            case .unreadable: (.unreadable, nil)
            case .noted: (.noted, nil)
            }
        self.init(
            path: finding.path.shown, place: .init(finding.place),
            problem: .init(finding.problem), reason: finding.reason.english,
            words: finding.reason.wire,
            blocks: finding.blocks.ranges.map {
                .init(first: Int($0.lowerBound), last: Int($0.upperBound))
            },
            blockCount: Int(finding.blocks.count), outcome: outcome, action: action)
    }
}

extension VerifyReport {
    init(_ counts: VerifyCounts) {
        self.init(
            files: Int(counts.files), bytes: Int(counts.bytes), totalBytes: Int(counts.totalBytes),
            uncheckedFiles: Int(counts.uncheckedFiles), left: Int(counts.left),
            repaired: Int(counts.repaired), incomplete: Int(counts.incomplete),
            quarantined: Int(counts.quarantined), unchecked: Int(counts.unchecked),
            unreadable: Int(counts.unreadable), foreign: Int(counts.foreign))
    }
}

extension Varlink.Workspace.Wipe.Reply {
    private static var namedCount: Int { 100 }

    init(_ outcome: WipeOutcome) {
        self.init(
            complete: outcome.isComplete, files: outcome.files.count,
            scanned: outcome.files.scanned, opened: outcome.files.found,
            left: outcome.files.left.prefix(Self.namedCount).map(\.wireText),
            stragglers: outcome.blockingFiles.map { .init($0) },
            elsewhere: outcome.isGoneElsewhere)
    }
}

extension Varlink.Workspace.Straggler {
    init(_ file: BlockingFile) {
        self.init(
            path: file.path.wireText,
            processes: file.processes.map { .init(pid: Int($0.id), name: $0.name) })
    }
}

extension Varlink.Workspace.RefusedDocument {
    init(_ document: RefusedDocument) {
        self.init(
            file: document.file, reason: document.reason, since: Int(document.since),
            lastGoodInForce: document.lastGood != nil, inForce: document.lastGood?.documents,
            inForceSince: document.lastGood.map { Int($0.time) })
    }
}
