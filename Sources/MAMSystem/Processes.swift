// Processes as /proc shows them: who started whom, and when.
//
// Only files that the kernel writes without the process's memory map: `stat`, `status`, `comm`,
// `children`. Whoever reads `environ`, `cmdline` or `maps` waits for a lock that a process can hold
// for as long as it likes, by a page fault that a file system of its own does not answer.

internal import Glibc

/// One life of one process: ids are used again, the start time with them is not.
package struct ProcessLife: Sendable, Hashable {
    package let id: Int32
    /// Clock ticks since boot: field 22 of proc_pid_stat(5).
    package let startTime: UInt64

    package init(id: Int32, startTime: UInt64) {
        self.id = id
        self.startTime = startTime
    }
}

/// What /proc/PID/stat says of a process or thread, as far as we need it.
package struct ProcessStatus: Sendable {
    package let life: ProcessLife
    package let parent: Int32
    /// The session of setsid(2).
    package let session: Int32
    /// It is on its way out. Of a killed process some threads may be, and files of it still open
    /// and locked.
    package let isEnding: Bool
    /// Nothing is left but what its parent may ask for: no thread, no file.
    package let hasEnded: Bool
    /// It waits in the kernel, and no signal ends that: for a disk, as a rule.
    package let isUninterruptible: Bool
    /// It was stopped, as by SIGSTOP, and does nothing until it is continued.
    package let isStopped: Bool
    /// It waits, for whatever.
    package let isWaiting: Bool

    /// Nil if there is no such process or thread, or /proc is not readable.
    package init?(of id: Int32) {
        guard id > 0,
            let bytes = try? readSmallFile("/proc/\(id)/stat", maximumByteCount: 4096),
            // The command name may hold spaces and parentheses; the fields follow its last one.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let parent = Self.number(fields[1]),
            let session = Self.number(fields[3]),
            let flags = Self.number(fields[6]), let threads = Self.number(fields[17]),
            let start = Self.number(fields[19])
        else { return nil }
        life = ProcessLife(id: id, startTime: start)
        self.parent = Int32(truncatingIfNeeded: parent)
        self.session = Int32(truncatingIfNeeded: session)
        // Z: a zombie, X: not even that. The first thread's end is not the process's.
        let firstHasEnded = fields[0].elementsEqual("Z".utf8) || fields[0].elementsEqual("X".utf8)
        hasEnded = firstHasEnded && threads <= 1
        isUninterruptible = fields[0].elementsEqual("D".utf8)
        isStopped = fields[0].elementsEqual("T".utf8)
        isWaiting = !fields[0].elementsEqual("R".utf8)
        isEnding = firstHasEnded || flags & Self.exiting != 0
    }

    /// `PF_EXITING` of the kernel's <linux/sched.h>.
    private static let exiting: UInt64 = 4

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        digits.reduce(0) { value, digit in
            guard let value, (48...57).contains(digit) else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            return overflow ? nil : tens &+ UInt64(digit - 48)
        }
    }
}

/// The process that a thread belongs to; nil if it is gone.
package func processID(ofThread thread: Int32) -> Int32? {
    statusWords(ofThread: thread, "Tgid:").first.flatMap { Int32($0) }
}

/// The supplementary groups of a thread; none if it is gone.
package func supplementaryGroups(ofThread thread: Int32) -> [UInt32] {
    statusWords(ofThread: thread, "Groups:").compactMap { UInt32($0) }
}

/// What `/proc/THREAD/status` says behind a key.
private func statusWords(ofThread thread: Int32, _ key: String) -> [String] {
    // NGROUPS_MAX is 65,536, and a group takes 11 bytes at most.
    let bytes = (try? readSmallFile("/proc/\(thread)/status", maximumByteCount: 1 << 20)) ?? []
    let line = bytes.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: key.utf8) }
    return (line ?? []).dropFirst(key.utf8.count)
        .split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        .map { String(decoding: $0, as: UTF8.self) }
}

/// The kernel's function in which a thread waits; nil if it is gone, or not ours to look at.
package func waitChannel(ofThread thread: Int32) -> String? {
    (try? readSmallFile("/proc/\(thread)/wchan", maximumByteCount: 256))
        .map { String(decoding: $0, as: UTF8.self) }
}

/// The children of a process, of all its threads, as far as they can be told.
package func childProcesses(of process: Int32) -> [Int32] {
    let threads = (try? entries(of: ByteString("/proc/\(process)/task"))) ?? []
    return threads.compactMap { $0.text.flatMap { Int32($0) } }.flatMap {
        childProcesses(ofThread: $0, of: process)
    }
}

/// The children that a thread has forked, and those of threads that have ended and were handed to
/// it.
package func childProcesses(ofThread thread: Int32, of process: Int32) -> [Int32] {
    let path = "/proc/\(process)/task/\(thread)/children"
    let bytes = (try? readSmallFile(path, maximumByteCount: 1 << 18)) ?? []
    return bytes.split(separator: UInt8(ascii: " ")).compactMap {
        Int32(String(decoding: $0, as: UTF8.self))
    }
}
