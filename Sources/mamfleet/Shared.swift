// What the service's threads share.

internal import MAMFleet
internal import MAMModel
internal import MAMNats
internal import MAMSystem
internal import Synchronization

/// What is made once, and lives as long as the program.
final class Shared: Sendable {
    let log = Log.toStandardError(prefix: "mamfleet")
    let place: DaemonPlace
    let state: StateDirectory
    let inbox = BundleInbox()
    /// Wakes the thread that reports: the connection is new, or the daemon has started or accepted
    /// something.
    let reports = Mailbox<Void>()
    /// Wakes the thread that keeps the connection.
    let link = Mailbox<LinkEvent>()
    /// Wakes the thread that pulls over HTTPS: the machine is in other groups.
    let pull = Mailbox<Void>()
    /// Wakes the thread that notifies systemd.
    let news = Mailbox<Void>()
    private let values: Mutex<Values>

    struct Values: Sendable {
        var enrolment: Enrolment
        var groups: Set<String> = []
        var connection: NatsConnection?
        /// When the connection was lost, or the program began.
        var isAloneSince: Deadline? = .now
        /// When the thread that delivers was last known to be alive.
        var delivererLived = Deadline.now
        var daemonProblem: String?
        var documents = 0
    }

    init(_ place: DaemonPlace, _ state: StateDirectory, _ enrolment: Enrolment) {
        (self.place, self.state) = (place, state)
        values = Mutex(Values(enrolment: enrolment))
    }

    func read<Result>(_ body: (Values) -> Result) -> Result { values.withLock { body($0) } }

    func change(_ body: (inout sending Values) -> Void) { values.withLock { body(&$0) } }

    var machine: MachineID { read { $0.enrolment.machine } }
    var connection: NatsConnection? { read { $0.connection } }
    var groups: Set<String> { read { $0.groups } }

    /// Notes the state of the daemon; `problem`: nil if it answers.
    func setDaemon(problem: String?, documents: Int?) {
        let isNews = values.withLock { values in
            let former = (values.daemonProblem, values.documents)
            values.daemonProblem = problem
            if let documents { values.documents = documents }
            return former != (values.daemonProblem, values.documents)
        }
        if isNews { news.put(()) }
    }

    /// Wakes the threads that fetch: new groups have bundles of their own.
    func setGroups(_ groups: Set<String>) {
        let isNew = values.withLock { values in
            defer { values.groups = groups }
            return values.groups != groups
        }
        guard isNew else { return }
        link.put(.groups)
        pull.put(())
    }

    func setConnection(_ connection: NatsConnection?) {
        let former = values.withLock { values in
            let former = values.connection
            values.connection = connection
            if connection != nil {
                values.isAloneSince = nil
            } else if values.isAloneSince == nil {
                values.isAloneSince = .now
            }
            return former
        }
        // The former connection is destroyed here, and not under the lock.
        withExtendedLifetime(former) {}
        news.put(())
    }
}

enum LinkEvent: Sendable {
    /// The connection of that number has ended.
    case ended(NatsFailure, Int)
    /// The machine is in other groups.
    case groups
    /// The servers have another authority next.
    case authority([UInt8])
    /// The administrator has answered.
    case answered([UInt8])
}
