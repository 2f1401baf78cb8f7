// What the state directory says of a workspace's last session: that all it wrote was whole and
// durable at its end.
//
// Not the backing directory: who writes there could say so too, or take the word away to have a
// file that was cut mended and shown in the place of being refused.

import MAMModel
import MAMSystem

struct CleanEnd: Sendable {
    private let state: Descriptor
    /// The workspace's id: a name may be given to another one.
    private let content: [UInt8]

    private static let fileName = "clean-end"

    init(of workspace: Bytes16, in state: Descriptor) {
        self.state = state
        content = Array("\(workspace)\n".utf8)
    }

    var isMarked: Bool {
        (try? readSmallFile(at: state.raw, Self.fileName, maximumByteCount: 64)) == content
    }

    /// Durable before anything is written.
    func unmark() throws(Errno) {
        try removeFile(in: state.raw, named: Self.fileName)
        try synchronize(state.raw)
    }

    /// Only once all that was written is durable.
    func mark() throws(Errno) {
        try content.span.withUnsafeBytes { bytes throws(Errno) in
            try replaceFile(in: state.raw, named: Self.fileName, with: bytes)
        }
    }
}
