// The state directory's record of a workspace's last session: whether everything was complete and
// durable at its end.
//
// Not in the backing directory, where a writer could forge it, or remove it to have a truncated
// file repaired and shown instead of refused.

import MAMModel
import MAMSystem

struct CleanEnd: Sendable {
    private let state: Descriptor
    /// The workspace's id, because its name may be reused.
    private let workspace: Bytes16

    private static let fileName = "clean-end"
    private static let maximumByteCount = 64 << 10

    init(of workspace: Bytes16, in state: Descriptor) {
        self.state = state
        self.workspace = workspace
    }

    /// The keys of files from an earlier crash that still need repair; nil if the last end was not
    /// clean.
    func readAwaitedKeys() -> Set<KeyID>? {
        guard
            let bytes = try? readSmallFile(
                at: state.raw, Self.fileName, maximumByteCount: Self.maximumByteCount)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard lines.first.map(String.init) == workspace.description else { return nil }
        let keys = lines.dropFirst().compactMap { Bytes16(hex: String($0)).map { KeyID($0) } }
        return keys.count == lines.count - 1 ? Set(keys) : nil
    }

    /// Durable before anything is written.
    func unmark() throws(Errno) {
        try removeFile(in: state.raw, named: Self.fileName)
        try synchronize(state.raw)
    }

    /// Call only once all writes are durable.
    func mark(awaiting keys: Set<KeyID>) throws(Errno) {
        let lines = [workspace] + keys.map(\.bytes)
        let content = Array(lines.map { "\($0)\n" }.joined().utf8)
        guard content.count <= Self.maximumByteCount else { throw .fileTooLarge }
        try replaceFile(in: state, named: Self.fileName, with: content)
    }
}
