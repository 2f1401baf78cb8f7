// A temporary directory for one run.

import Glibc
import MAMModel
import MAMSystem

/// In `TMPDIR`, or /tmp. ``remove()`` must be called.
struct ScratchDirectory {
    private let place: String

    init() throws(Errno) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/mambench-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .current }
        place = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? parent
        }
    }

    func path(_ name: String) -> String { "\(place)/\(name)" }

    func remove() {
        let command = ["rm", "-rf", "--", place].map { ByteString($0) }
        if let process = try? spawn(command) { _ = try? wait(for: process) }
    }
}
