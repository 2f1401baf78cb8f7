// The wait for a reply (docs/adr/0044-a-daemon-that-does-not-answer.md).

internal import Glibc
package import MAMSystem

/// A reply that is to come. A call may take long: what tells a daemon that is at work from one that
/// has stopped is whether it answers another caller meanwhile.
package final class PendingReply {
    private static let longestPatience = 60

    private let socket: Descriptor
    private let process: Int32
    /// Asks another caller's question; nil where there is no time for one.
    private let daemonAnswers: (() -> Bool)?
    private var patience: Int
    private var end: Deadline
    /// The daemon did not answer the other caller either.
    private(set) package var isSilent = false

    init(
        on socket: Descriptor, of process: Int32, patience: Int,
        daemonAnswers: (() -> Bool)? = nil
    ) {
        self.socket = socket
        self.process = process
        self.daemonAnswers = daemonAnswers
        self.patience = patience
        end = Deadline(seconds: patience)
    }

    /// True once there is something to read, or nothing will come.
    package func comes(within milliseconds: Int32) -> Bool {
        var reply = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
        return (try? retrying { poll(&reply, 1, milliseconds) }) != 0 || isInVain
    }

    /// True once the other end of the call is ready for `events`; false if the reply is there and
    /// the other end is not, or nothing will come. The daemon replies when all has been passed.
    package func lets(_ other: Descriptor, _ events: Int32) -> Bool {
        var both = [
            pollfd(fd: other.raw, events: Int16(events), revents: 0),
            pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0),
        ]
        while (try? retrying { poll(&both, 2, 1000) }) == 0 {
            if isInVain { return false }
        }
        // poll(2) looks at one after the other: both may have become ready in between.
        return both[0].revents != 0
            || (try? retrying { poll(&both, 1, 0) }) == 1
    }

    /// Looks after the daemon, if it has been quiet for long: less often each time.
    var isInVain: Bool {
        guard !isSilent, end.hasPassed else { return isSilent }
        isSilent = ProcessStatus(of: process)?.isStopped == true || daemonAnswers?() != true
        patience = min(2 * patience, Self.longestPatience)
        end = Deadline(seconds: patience)
        return isSilent
    }
}
