// `mamfleet run`: the service.

internal import Glibc
internal import MAMCommandLine
internal import MAMEngine
internal import MAMModel
internal import MAMPlaces
internal import MAMService
internal import MAMSystem
internal import MAMWire

/// Starts the threads, and notifies systemd that they are alive.
func runService(_ arguments: Arguments) throws(Failure) -> Never {
    let workspace = try arguments.workspace()
    let state = try StateDirectory(StateDirectory.path(of: workspace, arguments.string("state")))
    let transport = try transportSeed(state)
    let enrolment = try Enrolment.read(state)
    let place = DaemonPlace(workspace: workspace, socket: arguments.string("socket"))
    let shared = Shared(place, state, enrolment)
    let interval = try arguments.seconds("interval")
    do throws(Errno) {
        try startThread(named: "deliver") { Deliverer(shared).run() }
        if !enrolment.servers.isEmpty {
            try startThread(named: "link") { EngineLink(shared, transport).run() }
            try startThread(named: "report") { Reporter(shared).run() }
        }
        if enrolment.https != nil {
            try startThread(named: "https") {
                HTTPSPull(shared, intervalSeconds: interval)?.run()
                shared.log.error("no files are pulled: the address is no https://")
            }
        }
        if let directory = arguments.string("directory") {
            try startThread(named: "directory") { DirectoryWatch(shared, directory).run() }
        }
    } catch { throw Failure(.failure, "no thread can be started: \(error)") }
    notifyServiceManager("READY=1")
    watch(shared)
}

/// The transport key: systemd's credential, else the file that `join` has made.
func transportSeed(_ state: StateDirectory) throws(Failure) -> NKeySeed {
    if let directory = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) {
        let path = "\(directory)/\(Enrolment.transportFile)"
        if access(path, F_OK) == 0 { return try NKeySeed.read(path) }
    }
    let path = "\(state.path)/\(Enrolment.transportFile)"
    guard access(path, F_OK) == 0 else {
        throw Failure(
            .notFound, "\(state.path): this machine is not enrolled",
            next: "mamctl fleet join CODE")
    }
    return try NKeySeed.read(path)
}

/// Feeds systemd's watchdog while the thread that delivers is alive, which waits for the daemon
/// alone, and not for long.
private func watch(_ shared: Shared) -> Never {
    let interval = watchdogMicroseconds().map { Int($0 / 3_000_000) } ?? 60
    var status = ""
    while true {
        let age = shared.read { Deadline(asFarAheadAs: $0.delivererLived).secondsLeft }
        if age < 120 { notifyServiceManager("WATCHDOG=1") }
        let now = statusLine(shared)
        if now != status { notifyServiceManager("STATUS=\(now)") }
        status = now
        _ = shared.news.take(until: Deadline(seconds: max(1, interval)))
    }
}

private func statusLine(_ shared: Shared) -> String {
    shared.read { values in
        let link =
            values.connection != nil
            ? "connected" : values.enrolment.servers.isEmpty ? "no server" : "not connected"
        let daemon = values.daemonProblem ?? "\(counted(values.documents, "document")) in force"
        return "\(link); \(daemon)"
    }
}
