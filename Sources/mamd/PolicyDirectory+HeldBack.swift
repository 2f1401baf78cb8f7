// Holds changed documents back until the CheckIn hook has agreed to them.

import MAMEnrollment
import MAMModel
import MAMPolicy
import MAMSystem
import MAMVault

extension PolicyDirectory {
    /// Reads all files, but puts nothing in force: a reading of other documents than those in force
    /// keeps these. Orders and refused files are as the directory has them.
    func readAside(_ state: inout State, _ answer: HookAnswer) -> PolicyReading {
        var copies = state.copies.inMemory
        var reading = read(&copies)
        let there = copies.contents
        if answer == .awaited { state.asked = there }
        if answer == .no { state.declined = state.asked }
        guard there != state.copies.contents else {
            state.declined = nil
            return reading
        }
        let former = lastGood(state.copies)
        // What was in force cannot be told any more; nothing in its place would be looser.
        guard former.refused.isEmpty else { return read(&state.copies) }
        (reading.documents, reading.isHeldBack) = (former.documents, true)
        if there == state.declined {
            reading.heldBack = declined(there, state)
        } else {
            reading.isNews = true
        }
        return reading
    }

    /// Files that were reported before keep their time.
    private func declined(_ there: [String: [UInt8]], _ state: State) -> [RefusedDocument] {
        let inForce = state.copies.contents
        let names = Set(there.keys).union(inForce.keys).filter { there[$0] != inForce[$0] }
        return names.sorted().map { name in
            RefusedDocument(
                file: name,
                reason: there[name] == nil
                    ? "the CheckIn hook has not agreed to its removal"
                    : "the CheckIn hook has not agreed to its content",
                isObeyed: false,
                since: state.refused.first { $0.file == name }?.since ?? Clock().now.wallSeconds,
                lastGood: versionInForce(name, state.copies))
        }
    }
}
