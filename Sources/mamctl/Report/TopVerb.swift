// `top`: a live view of a workspace.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMPlaces
internal import MAMSystem
internal import MAMWire
internal import Synchronization

func top(_ invocation: Invocation) throws -> ExitStatus {
    let seconds = try invocation.interval()
    let isOnce = invocation.arguments.has("once")
    guard isOnce || (!invocation.isJSON && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
    else {
        throw Failure(
            .usage, "top needs a terminal",
            next: "mamctl status --json, mamctl watch, or mamctl top --once")
    }
    let daemon = try invocation.daemon()
    let view = TopView(every: seconds)
    try view.take(daemon)
    let refusals = RecentRefusals()
    if isOnce {
        try refusals.take(from: daemon)
        view.refusals = refusals.all
        // A rate needs two samples.
        usleep(UInt32(seconds * 1_000_000))
        try view.take(daemon)
        if invocation.isJSON {
            printJSON(view.json)
        } else {
            let width = isatty(STDOUT_FILENO) == 1 ? screenWidth(of: STDOUT_FILENO) : 100
            printOut(verbatim: view.lines(width: width, height: Int.max).joined(separator: "\n"))
        }
        return .success
    }
    let signals = try ScreenSignals()
    let events = RecentEvents()
    try listen(to: daemon, named: "events") { daemon in
        try daemon.stream(Varlink.Workspace.Watch()) { reply in
            events.add(reply.event)
            return true
        }
    }
    try listen(to: daemon, named: "refusals") { try refusals.take(from: $0, follow: true) }
    return try LiveScreen.run(every: seconds, signals) { width, height in
        try view.take(daemon)
        view.events = events.all
        view.refusals = refusals.all
        return view.lines(width: width, height: height)
    }
}

extension Invocation {
    /// Seconds between samples.
    fileprivate func interval() throws -> Double {
        guard let text = try arguments.text("interval") else { return 1 }
        guard let seconds = Double(text), (0.1...3600).contains(seconds) else {
            throw Failure.usage(verb, "--interval must be 0.1 to 3600 seconds, not '\(text)'")
        }
        return seconds
    }
}

/// Follows the daemon on a thread of its own.
private func listen(
    to daemon: Daemon, named thread: String, _ body: @escaping @Sendable (Daemon) throws -> Void
) throws {
    let name = daemon.name
    // Use a connection of its own: calls on one are answered in order, and this one does not end.
    try startThread(named: thread) {
        guard let daemon = try? Daemon(of: name, at: Places.current.existingSocket(of: name))
        else { return }
        try? body(daemon)
    }
}

/// The latest events of a workspace, shared between threads.
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
