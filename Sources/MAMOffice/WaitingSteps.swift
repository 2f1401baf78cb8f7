// Documents that are signed, and are pushed when the machines that have the step before are well.

package import MAMFleet
internal import MAMModel

/// `rings/SHARE/NAME`: what `signed/NAME` will be.
package struct WaitingStep: Sendable, Equatable {
    /// In percent of the machines; 100: all.
    package let share: Int
    package let file: String
    /// Its name in `signed/`.
    package let place: String
    package let envelope: Envelope
    package let statement: Statement
    package var slot: Slot { Slot(envelope.kind, statement.audience, statement.name) }
}

/// A percentage of the machines, 1 to 100, as it is written: `+5` is none.
package func ringShare(_ text: Substring) -> Int? {
    Int(text).flatMap { (1...100).contains($0) && text == "\($0)" ? $0 : nil }
}

extension OrganizationDirectory {
    package static let rings = "rings"
    static let rollout = "rings/rollout.json"

    /// In the order of their shares. One that is no document is refused.
    package func waitingSteps() throws(Failure) -> [WaitingStep] {
        var found: [WaitingStep] = []
        for file in try files(below: Self.rings) where file != Self.rollout {
            let parts = file.split(separator: "/", maxSplits: 2)
            guard parts.count == 3, let share = ringShare(parts[1]) else {
                throw failure(file, .malformed("it is no step of a push: rings/SHARE/NAME"))
            }
            let envelope = try envelope(file)
            do throws(Refusal) {
                found.append(
                    WaitingStep(
                        share: share, file: file, place: "\(Self.signed)/\(parts[2])",
                        envelope: envelope, statement: try envelope.statement()))
            } catch { throw failure(file, error) }
        }
        return found.sorted { ($0.share, $0.file) < ($1.share, $1.file) }
    }

    /// Puts a document into `signed/`, as `name`, and the steps that follow it in the place of
    /// those that there were. The steps are there first: what is left of this is pushed again.
    package func replace(
        signed name: String, with bytes: [UInt8], then steps: [(share: Int, bytes: [UInt8])]
    ) throws(Failure) {
        let former = try waitingSteps().filter { $0.place == name }
        let files = steps.map { Self.stepFile($0.share, of: name) }
        for (file, step) in zip(files, steps) { try write(file, step.bytes) }
        try replace(signed: name, with: bytes)
        for step in former where !files.contains(step.file) { try remove(step.file) }
    }

    /// Where a step waits that will be the document `name`, `signed/NAME`.
    package static func stepFile(_ share: Int, of name: String) -> String {
        "\(rings)/\(share)/\(name.dropFirst(signed.count + 1))"
    }

    func name(of path: ByteString) -> String {
        let text = path.shown
        let prefix = self.path.shown + "/"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    }
}
