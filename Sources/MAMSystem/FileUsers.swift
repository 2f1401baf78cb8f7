// Finds the processes that use a file or a mount, from links in /proc: a lookup of the files
// themselves would send requests to their mount.
//
// Reading such a link never blocks. Only `maps` shows mapped files, and reading it takes the lock
// of the process's memory map, which the process can hold: threads read it that nobody waits for
// (MappedFiles.swift).

internal import Glibc
package import MAMModel

/// A process and the name of its command.
package struct ProcessName: Sendable, Hashable {
    package let id: Int32
    package let name: String

    package init(_ id: Int32) {
        self.id = id
        let comm = (try? readSmallFile("/proc/\(id)/comm", maximumByteCount: 64)) ?? []
        name = comm.isEmpty ? "?" : ByteString(comm.filter { $0 != UInt8(ascii: "\n") }).shown
    }

    /// For a process whose name is known.
    package init(_ id: Int32, named name: String) {
        self.id = id
        self.name = name
    }
}

extension ProcessName: CustomStringConvertible {
    package var description: String { "process \(id) (\(name))" }
}

/// The processes with an open file, a working directory or their executable below `place`.
package func processes(using place: ByteString) -> [ProcessName] {
    allProcesses.filter { pid in
        (links(in: "fd", of: pid) + ["cwd", "root", "exe"].compactMap { link($0, of: pid) })
            .contains { $0.isWithin(place) }
    }.map(ProcessName.init)
}

/// The processes other than this one that have one of these files open or mapped. Reports as many
/// of those that only map a file as can be read before the deadline.
package func processes(
    holding files: Set<ByteString>, until deadline: Deadline
) -> [ByteString: [ProcessName]] {
    var found: [ByteString: [ProcessName]] = [:]
    var others: [Int32] = []
    for pid in allProcesses where pid != getpid() {
        let held = Set(links(in: "fd", of: pid).map(\.withoutDeletionMark))
        if held.isDisjoint(with: files) { others.append(pid) }
        for file in files.intersection(held) { found[file, default: []].append(ProcessName(pid)) }
    }
    for (pid, mapped) in MappedFiles.shared.of(others, until: deadline) {
        for file in files.intersection(mapped) { found[file, default: []].append(ProcessName(pid)) }
    }
    return found
}

/// Other processes' descriptors of these files, as `/proc/PID/fd/N`, by the file's path including
/// its deletion mark.
package func descriptors(of files: Set<ByteString>) -> [ByteString: [String]] {
    var found: [ByteString: [String]] = [:]
    for pid in allProcesses where pid != getpid() {
        for (name, path) in namedLinks(in: "fd", of: pid) where files.contains(path) {
            found[path, default: []].append("/proc/\(pid)/fd/\(name)")
        }
    }
    return found
}

/// The descriptors of a thread's process, as `/proc/THREAD/fd/N`: the first few thousand.
package func descriptors(ofThread thread: Int32) -> [String] {
    let directory = "/proc/\(thread)/fd"
    return ((try? entries(of: ByteString(directory))) ?? []).prefix(4096).compactMap(\.text)
        .map { "\(directory)/\($0)" }
}

extension ByteString {
    /// The kernel appends this to the path of a deleted file.
    private static let deletionMark = Array(" (deleted)".utf8)

    /// The path that a file has or had.
    package var withoutDeletionMark: ByteString {
        guard bytes.suffix(Self.deletionMark.count).elementsEqual(Self.deletionMark) else {
            return self
        }
        return ByteString(Array(bytes.dropLast(Self.deletionMark.count)))
    }
}

private var allProcesses: [Int32] {
    ((try? entries(of: ByteString("/proc"))) ?? []).compactMap { $0.text.flatMap { Int32($0) } }
        .sorted()
}

private func links(in directory: String, of pid: Int32) -> [ByteString] {
    namedLinks(in: directory, of: pid).map(\.target)
}

private func namedLinks(
    in directory: String, of pid: Int32
) -> [(name: String, target: ByteString)] {
    let names = (try? entries(of: ByteString("/proc/\(pid)/\(directory)"))) ?? []
    return names.compactMap(\.text).compactMap { name in
        link("\(directory)/\(name)", of: pid).map { (name, $0) }
    }
}

private func link(_ name: String, of pid: Int32) -> ByteString? {
    try? linkTarget("/proc/\(pid)/\(name)")
}
