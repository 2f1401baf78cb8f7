// A check of the workspace: one call, a reply for each finding.

internal import MAMModel
internal import MAMSystem
internal import MAMTree
internal import MAMVault
internal import MAMWire
internal import MAMWorkspace

extension WorkspaceInterface {
    func verify(_ call: VarlinkCall) throws -> [String: JSONValue] {
        try call.parameters.allowOnly(["path", "fileDescriptor", "repair"])
        try requireTrusted(call, toDo: "verify the workspace")
        guard call.wantsMore else { throw VarlinkError.expectedMore }
        let isNamed = call.parameters.has("path") || call.parameters.has("fileDescriptor")
        let file = isNamed ? try call.file("path", "fileDescriptor", self, .pathOnly) : nil
        let repair = try call.parameters.flag("repair")
        let replies = VerifyReplies(call)
        let counts = try vaulted { () throws(VaultError) in
            try Verify(tree).verify(file, repair: repair, replies)
        }
        // Nobody is there to read a last reply.
        if let failure = replies.failure { throw failure }
        if counts.isWhole {
            lastVerify.note(
                LastVerifyReport(
                    time: Int(vault.clock.now.wallSeconds), isRepair: repair,
                    counts: VerifyReport(counts), findings: replies.first),
                vault.log)
        }
        return ["summary": VerifyReport(counts).json]
    }
}

/// Sends what is found, until that fails.
private final class VerifyReplies: VerifyListener {
    private let call: VarlinkCall
    private(set) var failure: (any Error)?
    /// Those that are worth keeping; what is only noted is counted.
    private(set) var first: [FindingReport] = []

    private static let keptCount = 100

    init(_ call: VarlinkCall) { self.call = call }

    func found(_ finding: Finding) -> Bool {
        let report = FindingReport(finding)
        if report.outcome != .noted, first.count < Self.keptCount { first.append(report) }
        return reply(["finding": report.json])
    }

    func progressed(_ counts: VerifyCounts) -> Bool {
        reply(["progress": VerifyReport(counts).json])
    }

    private func reply(_ parameters: [String: JSONValue]) -> Bool {
        do {
            try call.reply(parameters)
            return true
        } catch {
            failure = error
            return false
        }
    }
}
