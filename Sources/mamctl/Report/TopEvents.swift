// The latest events of a workspace, shared between threads.

internal import MAMCommandLine
internal import MAMModel
internal import MAMWire
internal import Synchronization

final class RecentEvents: Sendable {
    private let lines = Mutex<[String]>([])

    private static let limit = 100

    var all: [String] { lines.withLock { $0 } }

    func add(_ event: Varlink.Workspace.Event) {
        let text = event.columns.joined(separator: "  ")
        lines.withLock { lines in
            lines.append("\(localTime(currentTime()))  \(text)")
            if lines.count > Self.limit { lines.removeFirst() }
        }
    }
}
