// The documents that were refused, and that nobody sends by mistake.

internal import Glibc
internal import MAMCrypto
package import MAMFleet
internal import MAMLocks
internal import MAMModel
internal import MAMSystem

/// `STATE/fleet/suspects.json`: the SHA-256 of each, its kind, and when it last came. Each counts
/// once, however often it is sent; of too many the oldest go.
package final class SuspectDocuments: Sendable {
    private let directory: String
    private let isReadOnly: Bool
    private let state: Guarded<State>

    private struct State {
        var all: [String: Suspect] = [:]
        var isStored = true
    }

    private struct Suspect {
        let kind: Refusal.Kind
        var time: Int64
    }

    private static let fileName = "suspects.json"
    private static let maximumCount = 1000
    private static let keptSeconds = 7 * secondsPerDay

    init(in directory: String, isReadOnly: Bool) {
        (self.directory, self.isReadOnly) = (directory, isReadOnly)
        let bytes = try? readSmallFile(
            "\(directory)/\(Self.fileName)", maximumByteCount: 1 << 20)
        let json = bytes.flatMap { try? JSONValue(parsing: $0) }
        // A damaged one gives way: it decides nothing.
        var state = State()
        for (digest, value) in json?.object ?? [:] {
            guard let kind = value.object?["kind"]?.text.flatMap(Refusal.Kind.init),
                let time = value.object?["time"]?.integer
            else { continue }
            state.all[digest] = Suspect(kind: kind, time: time)
        }
        self.state = Guarded(state)
    }

    func note(_ document: [UInt8], _ kind: Refusal.Kind, at clock: Int64) {
        guard kind.isSuspect else { return }
        let digest = hexadecimal(SHA256.digest(of: document))
        state.withLock { state in
            state.all[digest] = Suspect(kind: kind, time: clock)
            state.isStored = false
            guard state.all.count > Self.maximumCount,
                let oldest = state.all.min(by: { $0.value.time < $1.value.time })
            else { return }
            state.all[oldest.key] = nil
        }
    }

    /// A document that was accepted after all: the root with its keys came later.
    func forget(_ document: [UInt8]) {
        state.withLock { state in
            guard !state.all.isEmpty else { return }
            let digest = hexadecimal(SHA256.digest(of: document))
            if state.all.removeValue(forKey: digest) != nil { state.isStored = false }
        }
    }

    /// Of the last seven days, by kind. Stores them, so that a restart forgets none that was told.
    package func counts(at clock: Int64) -> [Refusal.Kind: Int64] {
        state.withLock { state in
            let known = state.all.count
            state.all = state.all.filter { $0.value.time > clock - Self.keptSeconds }
            if known != state.all.count { state.isStored = false }
            if !state.isStored { state.isStored = store(state.all) }
            return Dictionary(state.all.values.map { ($0.kind, 1) }, uniquingKeysWith: +)
        }
    }

    /// False if it could not be stored, which the next report tries again.
    private func store(_ all: [String: Suspect]) -> Bool {
        guard !isReadOnly else { return false }
        let json = JSONValue.object(
            all.mapValues { ["kind": .string($0.kind.rawValue), "time": .integer($0.time)] })
        do throws(Errno) {
            let place = try openFile(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            try replaceFile(in: place, named: Self.fileName, with: json.encoded())
            return true
        } catch { return false }
    }
}
