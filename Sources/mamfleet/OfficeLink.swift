// The administrator's connection, to whichever server answers.

internal import MAMCommandLine
internal import MAMModel
internal import MAMNats
internal import MAMSystem
internal import MAMWire

/// Asks one server at a time, and the next if one does not answer. A step goes on until it is done,
/// fails for good, or its time is up: when a server dies, the streams that it led have no leader
/// for up to nine seconds. One thread uses it.
final class OfficeLink {
    var progress = ProgressLine()
    private let options: NatsOptions
    private let servers: EngineServers
    private var current: (server: String, connection: NatsConnection)?

    /// An election that nobody wins is held again.
    private static let stepSeconds = 20
    /// What is asked while there is no leader has no answer, so it is soon asked again; later the
    /// reason may be a slow network.
    private static let soonSeconds = 10
    private static let soonMilliseconds: Int64 = 1000
    private static let lateMilliseconds: Int64 = 4000
    private static let pauseMilliseconds = 200

    init(_ options: NatsOptions, _ servers: EngineServers) {
        (self.options, self.servers) = (options, servers)
    }

    /// Calls `body`, with how many milliseconds to wait for an answer, until it succeeds. It must
    /// be one that may be done twice. `subject`: what it is about.
    func step<Value>(
        _ subject: String,
        _ body: (NatsConnection, _ milliseconds: Int64) throws(NatsFailure) -> Value
    ) throws(Failure) -> Value {
        let (soon, end) = (Deadline(seconds: Self.soonSeconds), Deadline(seconds: Self.stepSeconds))
        while true {
            let (server, connection) = try connected(for: subject)
            do throws(NatsFailure) {
                return try body(
                    connection,
                    soon.hasPassed ? Self.lateMilliseconds : Self.soonMilliseconds)
            } catch {
                guard error.mayPass, !end.hasPassed else {
                    throw failure(subject, error, at: server)
                }
                progress.show { "asking again: \(subject): \(server): \(error)".prefixed($0) }
                leave(server, after: error)
            }
            Deadline(milliseconds: Self.pauseMilliseconds).wait()
        }
    }

    /// Another server may know more than one that is silent.
    private func leave(_ server: String, after error: NatsFailure) {
        switch error {
        case .connection, .timeout:
            current = nil
            servers.noteSilence(of: server)
        default: break
        }
    }

    private func connected(
        for subject: String
    ) throws(Failure) -> (server: String, connection: NatsConnection) {
        if let current { return current }
        var failures: [(server: String, reason: NatsFailure)] = []
        for server in servers.inTurn {
            do throws(NatsFailure) {
                let made = (server: server, connection: try connect(server))
                current = made
                return made
            } catch {
                servers.noteFailure(of: server)
                failures.append((server, error))
            }
        }
        progress.clear()
        // A server that refuses is more of a reason than one that is away.
        let worst = failures.first { !$0.reason.mayPass } ?? failures[0]
        throw Failure(
            worst.reason.status, "\(subject): \(Self.list(failures))", next: worst.reason.next)
    }

    private func connect(_ server: String) throws(NatsFailure) -> NatsConnection {
        var options = options
        options.servers = [serverURL(server)]
        return try NatsConnection(options) { _ in }
    }

    /// Names the other servers that cannot be reached, too.
    private func failure(_ subject: String, _ error: NatsFailure, at server: String) -> Failure {
        progress.clear()
        current = nil
        var failures = [(server: server, reason: error)]
        guard error.mayPass else { return Failure(error, "\(subject): \(server)") }
        for other in servers.inTurn where other != server {
            do throws(NatsFailure) { _ = try connect(other) } catch {
                failures.append((other, error))
            }
        }
        return Failure(
            .unreachable, "\(subject): \(Self.list(failures))",
            next: "more than half of the servers must run: start them, and try again")
    }

    private static func list(_ failures: [(server: String, reason: NatsFailure)]) -> String {
        failures.map { "\($0.server): \($0.reason)" }.joined(separator: "; ")
    }
}

extension String {
    fileprivate func prefixed(_ width: Int) -> String { String(prefix(width)) }
}
