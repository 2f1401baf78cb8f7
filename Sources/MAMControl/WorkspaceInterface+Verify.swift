// A check of the workspace, with one reply per finding.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace
internal import Synchronization

extension WorkspaceInterface {
    func verify(_ call: VarlinkCall) throws -> [String: JSONValue] {
        let request: Wire.Verify = try call.request()
        try requireTrusted(call, toDo: "verify the workspace")
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        let isNamed = request.path != nil || request.fileDescriptor != nil
        let file = isNamed ? try call.file("path", "fileDescriptor", self, .pathOnly) : nil
        let repair = request.repair ?? false
        let replies = VerifyReplies(call)
        let counts = try vaulted { () throws(VaultError) in
            try Verify(tree).verify(file, repair: repair, replies)
        }
        // The caller has hung up: no final reply.
        if let failure = replies.failure { throw failure }
        let summary = VerifyReport(counts)
        if counts.isWhole {
            lastVerify.note(
                LastVerifyReport(
                    time: Int(vault.clock.now.wallSeconds), repair: repair, counts: summary,
                    findings: replies.first),
                vault.log)
        }
        return Wire.Verify.Reply(summary: summary).withoutNulls
    }
}

/// Streams the findings until a send fails.
private final class VerifyReplies: VerifyListener {
    private let call: VarlinkCall
    private(set) var failure: (any Error)?
    /// The first findings, for the report. `noted` ones are only counted.
    private(set) var first: [FindingReport] = []

    private static let keptCount = 100

    init(_ call: VarlinkCall) { self.call = call }

    func found(_ finding: Finding) -> Bool {
        let report = FindingReport(finding)
        if finding.outcome != .noted, first.count < Self.keptCount { first.append(report) }
        return reply(.init(finding: report))
    }

    func progressed(_ counts: VerifyCounts) -> Bool {
        reply(.init(progress: VerifyReport(counts)))
    }

    private func reply(_ reply: Varlink.Workspace.Verify.Reply) -> Bool {
        do {
            try call.reply(reply.withoutNulls)
            return true
        } catch {
            failure = error
            return false
        }
    }
}

/// The result of the last check of the whole workspace, kept across restarts: `last-verify.json` in
/// the state directory. A damaged file is ignored: nothing depends on it.
package final class LastVerify: Sendable {
    private let directory: Descriptor?
    private let mayWrite: Bool
    private let last: Mutex<LastVerifyReport?>

    private static let name = "last-verify.json"

    /// Kept in memory only.
    package init() {
        (directory, mayWrite) = (nil, false)
        last = Mutex(nil)
    }

    package init(in stateDirectory: String, mayWrite: Bool) {
        directory = try? openFile(stateDirectory, O_RDONLY | O_DIRECTORY)
        self.mayWrite = mayWrite
        last = Mutex(directory.flatMap(Self.read))
    }

    var report: LastVerifyReport? { last.withLock { $0 } }

    func note(_ report: LastVerifyReport, _ log: Log) {
        last.withLock { last in
            last = report
            guard mayWrite, let directory else { return }
            do throws(Errno) {
                try replaceFile(in: directory, named: Self.name, with: report.json.encoded())
            } catch { log.warning("\(Self.name) cannot be written: \(error)") }
        }
    }

    private static func read(in directory: Descriptor) -> LastVerifyReport? {
        guard
            let bytes = try? readSmallFile(at: directory.raw, name, maximumByteCount: 4 << 20),
            let members = (try? JSONValue(parsing: bytes))?.object
        else { return nil }
        return try? LastVerifyReport(Parameters(members))
    }
}
