// What the last check of the whole workspace came to: on the wire, and in the state directory.

package import MAMModel

package struct LastVerifyReport: Sendable, Equatable {
    /// Seconds since 1970, at its end.
    package let time: Int
    package let isRepair: Bool
    package let counts: VerifyReport
    /// The first of them.
    package let findings: [FindingReport]

    package init(time: Int, isRepair: Bool, counts: VerifyReport, findings: [FindingReport]) {
        self.time = time
        self.isRepair = isRepair
        self.counts = counts
        self.findings = findings
    }

    /// Reads the wire form, with findings or without.
    package init(_ wire: Parameters) throws(VarlinkError) {
        time = try wire.integer("time")
        isRepair = try wire.bool("repair")
        counts = try VerifyReport(try wire.object("counts"))
        var findings: [FindingReport] = []
        for finding in wire.has("findings") ? try wire.objects("findings") : [] {
            findings.append(try FindingReport(finding))
        }
        self.findings = findings
    }

    /// The members of the wire form, but for the findings.
    package var summary: [String: JSONValue] {
        ["time": JSONValue(time), "repair": .bool(isRepair), "counts": counts.json]
    }

    /// All of it.
    package var json: JSONValue {
        .object(summary.merging(["findings": .array(findings.map(\.json))]) { $1 })
    }
}
