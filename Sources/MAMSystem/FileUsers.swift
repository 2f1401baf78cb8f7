// Which processes use a file or a mount, read from links in /proc: looking at the files themselves would wake
// the mount that they lie in.

internal import Glibc

/// A process and the name of its command.
package struct ProcessName: Sendable, Hashable {
    package let id: Int32
    package let name: String

    init(_ id: Int32) {
        self.id = id
        let comm = (try? readSmallFile("/proc/\(id)/comm", maximumByteCount: 64)) ?? []
        name = comm.isEmpty ? "?" : ByteString(comm.filter { $0 != UInt8(ascii: "\n") }).shown
    }
}

extension ProcessName: CustomStringConvertible {
    package var description: String { "process \(id) (\(name))" }
}

/// The processes with a file, a directory or their program below `place`.
package func processes(using place: ByteString) -> [ProcessName] {
    processes { pid in
        (links(in: "fd", of: pid) + ["cwd", "root", "exe"].compactMap { link($0, of: pid) })
            .contains { $0.isWithin(place) }
    }
}

/// The processes that have a file open or mapped, ourselves left out.
package func processes(holding file: ByteString) -> [ProcessName] {
    let deleted = ByteString(file.bytes + Array(" (deleted)".utf8))
    return processes { pid in
        guard pid != getpid() else { return false }
        return links(in: "fd", of: pid).contains { $0 == file || $0 == deleted }
            || maps(of: pid).contains { $0 == file.bytes || $0 == deleted.bytes }
    }
}

private func processes(_ isWanted: (Int32) -> Bool) -> [ProcessName] {
    let numbers = ((try? entries(of: ByteString("/proc"))) ?? []).compactMap {
        $0.text.flatMap { Int32($0) }
    }
    return numbers.sorted().filter(isWanted).map(ProcessName.init)
}

private func links(in directory: String, of pid: Int32) -> [ByteString] {
    let names = (try? entries(of: ByteString("/proc/\(pid)/\(directory)"))) ?? []
    return names.compactMap(\.text).compactMap { link("\(directory)/\($0)", of: pid) }
}

private func link(_ name: String, of pid: Int32) -> ByteString? {
    try? linkTarget("/proc/\(pid)/\(name)")
}

/// The paths of the files that a process has mapped: proc_pid_maps(5), the part from the first slash on.
private func maps(of pid: Int32) -> [[UInt8]] {
    let text = (try? readSmallFile("/proc/\(pid)/maps", maximumByteCount: 1 << 20)) ?? []
    return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
        line.firstIndex(of: UInt8(ascii: "/")).map { Array(line[$0...]) }
    }
}
