// The interface's types Finding and VerifyCounts.

package import MAMModel

/// Something that a check found.
package struct FindingReport: Sendable, Equatable {
    package enum Outcome: String, Sendable {
        case left, repaired, incomplete, quarantined, unchecked, unreadable, noted
    }

    private static let statePlace = "state"
    private static let backingPlace = "backing"

    /// As it is shown to people, with `\ooo` for what is no printable text.
    package let path: String
    /// The path is one below the state directory, not the backing directory.
    package let isOfState: Bool
    package let problem: String
    package let reason: String
    package let blocks: [ClosedRange<Int>]
    package let blockCount: Int
    package let outcome: Outcome
    /// What was done, or why nothing was; of `quarantined`, the place.
    package let action: String?

    package init(
        path: String, isOfState: Bool, problem: String, reason: String,
        blocks: [ClosedRange<Int>], blockCount: Int, outcome: Outcome, action: String?
    ) {
        self.path = path
        self.isOfState = isOfState
        self.problem = problem
        self.reason = reason
        self.blocks = blocks
        self.blockCount = blockCount
        self.outcome = outcome
        self.action = action
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        path = try wire.string("path")
        switch try wire.string("place") {
        case Self.statePlace: isOfState = true
        case Self.backingPlace: isOfState = false
        default: throw .invalidParameter("place")
        }
        problem = try wire.string("problem")
        reason = try wire.string("reason")
        var blocks: [ClosedRange<Int>] = []
        for range in try wire.objects("blocks") {
            let (first, last) = (try range.integer("first"), try range.integer("last"))
            guard first <= last else { throw .invalidParameter("blocks") }
            blocks.append(first...last)
        }
        self.blocks = blocks
        blockCount = try wire.integer("blockCount")
        guard let outcome = Outcome(rawValue: try wire.string("outcome")) else {
            throw .invalidParameter("outcome")
        }
        self.outcome = outcome
        action = try wire.optionalString("action")
    }

    /// The wire form.
    package var json: JSONValue {
        [
            "path": .string(path),
            "place": .string(isOfState ? Self.statePlace : Self.backingPlace),
            "problem": .string(problem), "reason": .string(reason),
            "blocks": .array(
                blocks.map {
                    ["first": JSONValue($0.lowerBound), "last": JSONValue($0.upperBound)]
                }
            ),
            "blockCount": JSONValue(blockCount), "outcome": .string(outcome.rawValue),
            "action": JSONValue(action),
        ]
    }
}

/// How far a check has come, and at its end what it found.
package struct VerifyReport: Sendable, Equatable {
    package let files: Int
    package let bytes: Int
    package let totalBytes: Int
    package let uncheckedFiles: Int
    package let left: Int
    package let repaired: Int
    package let incomplete: Int
    package let quarantined: Int
    package let unchecked: Int
    package let unreadable: Int
    package let foreign: Int

    package init(
        files: Int, bytes: Int, totalBytes: Int, uncheckedFiles: Int, left: Int, repaired: Int,
        incomplete: Int, quarantined: Int, unchecked: Int, unreadable: Int, foreign: Int
    ) {
        self.files = files
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.uncheckedFiles = uncheckedFiles
        self.left = left
        self.repaired = repaired
        self.incomplete = incomplete
        self.quarantined = quarantined
        self.unchecked = unchecked
        self.unreadable = unreadable
        self.foreign = foreign
    }

    /// Reads the wire form.
    package init(_ wire: Parameters) throws(VarlinkError) {
        files = try wire.integer("files")
        bytes = try wire.integer("bytes")
        totalBytes = try wire.integer("totalBytes")
        uncheckedFiles = try wire.integer("uncheckedFiles")
        left = try wire.integer("left")
        repaired = try wire.integer("repaired")
        incomplete = try wire.integer("incomplete")
        quarantined = try wire.integer("quarantined")
        unchecked = try wire.integer("unchecked")
        // What an earlier version noted has none of these.
        unreadable = try wire.optionalInteger("unreadable") ?? 0
        foreign = try wire.optionalInteger("foreign") ?? 0
    }

    /// The wire form.
    package var json: JSONValue {
        [
            "files": JSONValue(files), "bytes": JSONValue(bytes),
            "totalBytes": JSONValue(totalBytes), "uncheckedFiles": JSONValue(uncheckedFiles),
            "left": JSONValue(left), "repaired": JSONValue(repaired),
            "incomplete": JSONValue(incomplete),
            "quarantined": JSONValue(quarantined), "unchecked": JSONValue(unchecked),
            "unreadable": JSONValue(unreadable), "foreign": JSONValue(foreign),
        ]
    }

    package var status: ExitStatus {
        if left > 0 || quarantined > 0 || incomplete > 0 { return .damaged }
        if unreadable > 0 { return .unreadable }
        return unchecked > 0 || uncheckedFiles > 0 ? .windowClosed : .success
    }
}
