// The result of the last check of the whole workspace, kept across restarts.

internal import Glibc
internal import MAMModel
internal import MAMSystem
internal import MAMWire
internal import Synchronization

/// `last-verify.json` in the state directory. A damaged file is ignored: nothing depends on it.
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
