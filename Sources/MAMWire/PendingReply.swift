// Waiting for a reply (docs/adr/0044-a-daemon-that-does-not-answer.md).

internal import Glibc
internal import MAMModel
package import MAMSystem

/// A reply that has not arrived. A call may legitimately take long; a daemon that is busy still
/// answers another caller, and one that hangs does not.
package final class PendingReply {
    private static let longestPatience = 60

    private let socket: Descriptor
    private let process: Int32
    /// Makes a test call on another connection; nil if this wait is for a test call itself.
    private let daemonAnswers: (() -> Bool)?
    private var patience: Int
    private var end: Deadline
    /// The daemon is stopped, or did not answer the test call either.
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

    /// True once there is something to read or the daemon is silent.
    package func comes(within milliseconds: Int32) -> Bool {
        var reply = pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0)
        return (try? retrying { poll(&reply, 1, milliseconds) }) != 0 || isInVain
    }

    /// Waits until `other`, the caller's end of the data that the call streams, is ready for
    /// `events`. False if the reply arrives first, which means that the daemon is done with the
    /// data, or if the daemon is silent.
    package func lets(_ other: Descriptor, _ events: Int32) -> Bool {
        var both = [
            pollfd(fd: other.raw, events: Int16(events), revents: 0),
            pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0),
        ]
        while (try? retrying { poll(&both, 2, 1000) }) == 0 {
            if isInVain { return false }
        }
        // poll(2) checks the descriptors one by one: `other` may have become ready after its check.
        return both[0].revents != 0
            || (try? retrying { poll(&both, 1, 0) }) == 1
    }

    /// Tests the daemon when it has been quiet for `patience`, which doubles each time.
    var isInVain: Bool {
        guard !isSilent, end.hasPassed else { return isSilent }
        isSilent = ProcessStatus(of: process)?.isStopped == true || daemonAnswers?() != true
        patience = min(2 * patience, Self.longestPatience)
        end = Deadline(seconds: patience)
        return isSilent
    }
}
