// Processes in /proc: their parents, start times, rights and control groups.
//
// Reads only files that the kernel produces without the process's memory map: `stat`, `status`,
// `children`, `cgroup`, `uid_map`, `wchan`, and the `fdinfo` of the process that asks. Reading
// `environ`, `cmdline` or `maps` waits for a lock that a process can hold indefinitely, with a page
// fault that its own file system does not answer.

internal import CShims
internal import Glibc
package import MAMModel

/// Identifies a process even if its id is reused, by id and start time.
package struct ProcessLife: Sendable, Hashable {
    package let id: Int32
    /// Clock ticks since boot: field 22 of proc_pid_stat(5).
    package let startTime: UInt64

    package init(id: Int32, startTime: UInt64) {
        self.id = id
        self.startTime = startTime
    }
}

/// The fields of /proc/PID/stat that the daemon uses.
package struct ProcessStatus: Sendable {
    package let life: ProcessLife
    package let parent: Int32
    /// The session of setsid(2).
    package let session: Int32
    /// It is exiting. Some threads of a killed process may be, while its files are still open and
    /// locked.
    package let isEnding: Bool
    /// A zombie: all threads and files are gone.
    package let hasEnded: Bool
    /// In uninterruptible sleep, usually waiting for a disk: no signal ends it.
    package let isUninterruptible: Bool
    /// Stopped, as by SIGSTOP.
    package let isStopped: Bool
    /// Sleeping, for any reason.
    package let isWaiting: Bool

    /// Nil if there is no such process or thread, or /proc is not readable.
    package init?(of id: Int32) {
        // The thread's own file: /proc/PID/stat adds up the times of all, be they thousands.
        let path = "/proc/\(id)/task/\(id)/stat"
        guard id > 0, let bytes = try? readSmallFile(path, maximumByteCount: 4096),
            // The command name may contain spaces and parentheses; the fields follow the last one.
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
        // Z: zombie, X: dead. The process goes on if only its first thread has ended.
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

/// The process of a pidfd; nil if it is gone, or not visible to us.
package func processID(of descriptor: Descriptor) -> Int32? {
    withExtendedLifetime(descriptor) {
        words(in: "/proc/self/fdinfo/\(descriptor.raw)", "Pid:").first.flatMap { Int32($0) }
    }
}

/// Whether a process can gain no rights by executing a program.
package func hasNoNewPrivileges(_ process: Int32) -> Bool {
    statusWords(ofThread: process, "NoNewPrivs:") == ["1"]
}

/// Whether it is the first process of a process ID namespace, which gets its orphans.
package func isFirstOfNamespace(_ process: Int32) -> Bool {
    statusWords(ofThread: process, "NSpid:").last == "1"
}

/// As /proc shows them; empty if the process is gone. A child is in those of its parent, and leaves
/// them only with the rights to the other ones.
package func controlGroups(of process: Int32) -> ByteString {
    let bytes = (try? readSmallFile("/proc/\(process)/cgroup", maximumByteCount: 1 << 16)) ?? []
    return ByteString(bytes)
}

/// The ``ProcessLife/startTime`` of a process that starts now.
package func currentStartTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let ticks = UInt64(sysconf(Int32(_SC_CLK_TCK)))
    return UInt64(time.tv_sec) * ticks + UInt64(time.tv_nsec) / (1_000_000_000 / ticks)
}

/// The supplementary groups of a thread; none if it is gone.
package func supplementaryGroups(ofThread thread: Int32) -> [UInt32] {
    statusWords(ofThread: thread, "Groups:").compactMap { UInt32($0) }
}

/// Those of capabilities(7) that the daemon asks for, by their numbers.
package enum Capability: Int {
    /// CAP_FOWNER
    case actAsOwner = 3
    /// CAP_FSETID
    case setSetIDBits = 4
    /// CAP_SYS_ADMIN
    case administer = 21

    package var bit: UInt64 { 1 << rawValue }
}

/// Nil if they cannot be read.
package func effectiveCapabilities(ofThread thread: Int32) -> UInt64? {
    statusWords(ofThread: thread, "CapEff:").first.flatMap { UInt64($0, radix: 16) }
}

/// By its user ids, all of which stand for themselves there. True if they cannot be read.
package func isInFirstUserNamespace(thread: Int32) -> Bool {
    let map = words(in: "/proc/\(thread)/uid_map", "")
    return map.isEmpty || map == ["0", "0", "4294967295"]
}

/// The words after `key` in `/proc/THREAD/status`.
private func statusWords(ofThread thread: Int32, _ key: String) -> [String] {
    words(in: "/proc/\(thread)/status", key)
}

/// The words after `key` in a file of the kernel's.
private func words(in path: String, _ key: String) -> [String] {
    // NGROUPS_MAX is 65,536, and a group takes 11 bytes at most.
    let bytes = (try? readSmallFile(path, maximumByteCount: 1 << 20)) ?? []
    let line = bytes.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: key.utf8) }
    return (line ?? []).dropFirst(key.utf8.count)
        .split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
        .map { String(decoding: $0, as: UTF8.self) }
}

/// The kernel function in which a thread waits; nil if the thread is gone or not visible to us.
package func waitChannel(ofThread thread: Int32) -> String? {
    (try? readSmallFile("/proc/\(thread)/wchan", maximumByteCount: 256))
        .map { String(decoding: $0, as: UTF8.self) }
}

/// The children of all threads of a process, as far as /proc shows them.
package func childProcesses(of process: Int32) -> [Int32] {
    let threads = (try? entries(of: ByteString("/proc/\(process)/task"))) ?? []
    return threads.compactMap { $0.text.flatMap { Int32($0) } }.flatMap {
        childProcesses(ofThread: $0, of: process)
    }
}

/// The children that a thread forked, and those that it inherited from threads that ended.
package func childProcesses(ofThread thread: Int32, of process: Int32) -> [Int32] {
    knownChildren(ofThread: thread, of: process) ?? []
}

/// The same; nil if the process has no such thread.
package func knownChildren(ofThread thread: Int32, of process: Int32) -> [Int32]? {
    let path = "/proc/\(process)/task/\(thread)/children"
    let bytes = try? readSmallFile(path, maximumByteCount: 1 << 18)
    return bytes?.split(separator: UInt8(ascii: " ")).compactMap {
        Int32(String(decoding: $0, as: UTF8.self))
    }
}

/// Refers to one process for good, even if its ID is reused. Whether it is alive takes one call,
/// and nothing of /proc.
package struct ProcessHandle: Sendable {
    private let descriptor: Descriptor

    /// Nil if there is no such process, or `process` is a thread other than the first.
    package init?(of process: Int32) {
        guard process > 0,
            let raw = try? retrying({ () -> Int32 in mam_open_process(process) })
        else { return nil }
        descriptor = Descriptor(owning: raw)
    }

    /// Takes a pidfd from the kernel.
    package init(owning descriptor: Descriptor) { self.descriptor = descriptor }

    /// False once all its threads have ended.
    package var isAlive: Bool {
        var question = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return withExtendedLifetime(descriptor) { poll(&question, 1, 0) } == 0
    }
}
